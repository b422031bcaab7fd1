/* SPDX-License-Identifier: MIT */
#include "collector/kernel_changes.h"
#include "collector/kcore.h"
#include "collector/kernel_copy.h"
#include "collector/module_list.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An ELF file has fewer than 65,536 segments. */
enum { WORD = 4, PIECE = 1 << 16, RANGES_MAX = 32768 };

/* What does not fit in the list makes its last range longer. */
static int add_word(struct array *changed, uint64_t address)
{
	struct code_range *last =
		changed->count ? array_at(changed, changed->count - 1) : NULL;

	if (last && (address == last->end || changed->count == RANGES_MAX)) {
		last->end = address + WORD;
		return 0;
	}
	last = array_add(changed);
	if (!last)
		return -ERROR_MEMORY;
	*last = (struct code_range){ address, address + WORD };
	return 0;
}

static int compare_piece(const uint8_t *before, const uint8_t *now,
			 size_t size, uint64_t address, struct array *changed)
{
	int error = 0;

	if (!memcmp(before, now, size))
		return 0;
	for (size_t i = 0; i + WORD <= size && !error; i += WORD)
		if (memcmp(before + i, now + i, WORD))
			error = add_word(changed, address + i);
	return error;
}

/* @pieces has room for two. */
static int compare_range(const struct kcore *before, const struct kcore *now,
			 const struct code_range *range, uint8_t *pieces,
			 struct array *changed)
{
	int error = 0;

	for (uint64_t at = range->start; at < range->end && !error;) {
		uint64_t left = range->end - at;
		size_t size = left < PIECE ? (size_t)left : PIECE;

		error = kcore_read(before, at, pieces, size);
		if (!error)
			error = kcore_read(now, at, pieces + PIECE, size);
		if (!error)
			error = compare_piece(pieces, pieces + PIECE, size, at,
					      changed);
		at += size;
	}
	return error;
}

/* What @range and the segment have in common; empty if nothing. */
static struct code_range common(const struct code_range *range,
				const Elf64_Phdr *segment)
{
	struct code_range part = { segment->p_vaddr,
				   segment->p_vaddr + segment->p_filesz };

	if (part.start < range->start)
		part.start = range->start;
	if (part.end > range->end)
		part.end = range->end;
	return part;
}

int kernel_changes_find(const struct kcore *before, const struct kcore *now,
			const struct code_range *range, struct array *changed)
{
	const Elf64_Phdr *segments = before->segments.items;
	uint8_t *pieces = malloc(2 * PIECE);
	int error = pieces ? 0 : -ERROR_MEMORY;

	for (size_t i = 0; i < before->segments.count && !error; i++) {
		struct code_range part = common(range, &segments[i]);

		if (segments[i].p_type == PT_LOAD)
			error = compare_range(before, now, &part, pieces,
					      changed);
	}
	free(pieces);
	return error;
}

/* A symbol of a module. */
struct mark {
	uint64_t address;
	bool is_text;
};

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a;
	const struct mark *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int list_marks(const struct kernel_symbols *symbols, struct array *marks)
{
	struct kernel_symbol symbol;
	size_t place = 0;

	while (kernel_symbols_next(symbols, &place, &symbol)) {
		struct mark *mark = symbol.module ? array_add(marks) : NULL;

		if (!symbol.module)
			continue;
		if (!mark)
			return -ERROR_MEMORY;
		mark->address = symbol.address;
		mark->is_text = strchr("tTwW", symbol.type);
	}
	array_sort(marks, compare_marks);
	return 0;
}

/* Whether the symbol at or before @address is of code. */
static bool is_text(const struct array *marks, uint64_t address)
{
	const struct mark *items = marks->items;
	size_t low = 0;
	size_t high = marks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && items[low - 1].is_text;
}

/* Drops what is not code of @changed: /proc/modules only says how large a
 * module is with its data, which lies behind its code or elsewhere.
 */
static int keep_text(const struct kernel_symbols *symbols,
		     struct array *changed)
{
	struct array marks = ARRAY_OF(struct mark);
	struct code_range *ranges = changed->items;
	int error = changed->count ? list_marks(symbols, &marks) : 0;
	size_t kept = 0;

	for (size_t i = 0; i < changed->count && !error; i++)
		if (is_text(&marks, ranges[i].start))
			ranges[kept++] = ranges[i];
	changed->count = kept;
	array_free(&marks);
	return error;
}

static bool has_module(const struct array *modules, const struct module *wanted)
{
	const struct module *items = modules->items;

	for (size_t i = 0; i < modules->count; i++)
		if (items[i].address == wanted->address &&
		    !strcmp(items[i].name, wanted->name))
			return true;
	return false;
}

/* A module that is gone ran what was copied; where it was may be anything. */
static int find_in_modules(const struct kernel_copy *copy,
			   const struct kcore *before, const struct kcore *now,
			   struct array *changed)
{
	struct array loaded = ARRAY_OF(struct module);
	int error = module_list_read(&loaded);

	for (size_t i = 0; i < copy->modules.count && !error; i++) {
		const struct module *module = array_at(&copy->modules, i);
		const struct code_range range = {
			module->address, module->address + module->size_bytes
		};

		if (has_module(&loaded, module))
			error = kernel_changes_find(before, now, &range,
						    changed);
	}
	array_free(&loaded);
	return error;
}

static int find_all(const struct kernel_copy *copy, const char *path,
		    const struct kcore *now, struct array *changed)
{
	struct kcore before;
	char file[4096];
	int error;

	snprintf(file, sizeof(file), "%s/kcore", path);
	error = kcore_open(&before, file);
	if (error)
		return error;
	error = find_in_modules(copy, &before, now, changed);
	if (!error)
		error = keep_text(&copy->symbols, changed);
	if (!error)
		error = kernel_changes_find(&before, now, &copy->text, changed);
	kcore_close(&before);
	return error;
}

static int write_changed(const char *path, const struct kcore *now,
			 const struct array *changed)
{
	char file[4096];

	if (!changed->count)
		return 0;
	snprintf(file, sizeof(file), "%s/kcore_end", path);
	unlink(file);
	return kcore_copy(now, file, changed->items, changed->count);
}

int kernel_changes_write(const struct kernel_copy *copy, const char *path,
			 const struct log *log)
{
	struct array changed = ARRAY_OF(struct code_range);
	struct kcore now;
	int error = kcore_open(&now, "/proc/kcore");

	if (!error) {
		error = find_all(copy, path, &now, &changed);
		if (!error)
			error = write_changed(path, &now, &changed);
		kcore_close(&now);
	}
	if (error)
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "it is not known which code the kernel patched "
			    "while it was recorded: %s",
			    error == -ERROR_SYSTEM ? strerror(errno)
						   : error_text(error));
	array_free(&changed);
	return error;
}
