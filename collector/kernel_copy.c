/* SPDX-License-Identifier: MIT */
#include "collector/kernel_copy.h"
#include "collector/code_pages.h"
#include "collector/dynamic_code.h"
#include "collector/kcore.h"
#include "collector/module_list.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Modules nearer than this share a segment: fewer to look through. */
enum { NEAR = 1 << 16, CODE_PAGE = 4096 };

static int add_range(struct array *ranges, uint64_t start, uint64_t end)
{
	struct code_range *last =
		ranges->count ? array_at(ranges, ranges->count - 1) : NULL;

	start -= start % CODE_PAGE;
	end += (CODE_PAGE - end % CODE_PAGE) % CODE_PAGE;
	if (last && start >= last->start && start <= last->end + NEAR) {
		if (end > last->end)
			last->end = end;
		return 0;
	}
	last = array_add(ranges);
	if (!last)
		return -ERROR_MEMORY;
	*last = (struct code_range){ start, end };
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct code_range *x = a;
	const struct code_range *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The last ones end where they may, not where they do: kcore has it or not. */
static bool is_held(const struct kcore *kcore, const struct code_range *range)
{
	uint8_t byte;

	return range->end > range->start &&
	       !kcore_read(kcore, range->end - 1, &byte, 1);
}

/* Modules, and what else has been added to the kernel's code, by address. */
static int list_added(const struct kernel_copy *copy, const struct kcore *kcore,
		      struct array *added)
{
	const struct module *modules = copy->modules.items;
	int error = dynamic_code_find(&copy->symbols, added);
	struct code_range *items = added->items;
	size_t kept = 0;

	for (size_t i = 0; i < added->count; i++)
		if (is_held(kcore, &items[i]))
			items[kept++] = items[i];
	added->count = kept;
	for (size_t i = 0; i < copy->modules.count && !error; i++) {
		struct code_range *range = array_add(added);

		if (!range)
			return -ERROR_MEMORY;
		range->start = modules[i].address;
		range->end = modules[i].address + modules[i].size_bytes;
	}
	array_sort(added, compare_starts);
	return error;
}

static int list_near(const struct kernel_copy *copy, const struct kcore *kcore,
		     struct array *near)
{
	struct array added = ARRAY_OF(struct code_range);
	int error = add_range(near, copy->text.start, copy->text.end);
	const struct code_range *items;

	if (!error)
		error = list_added(copy, kcore, &added);
	items = added.items;
	for (size_t i = 0; i < added.count && !error; i++)
		error = add_range(near, items[i].start, items[i].end);
	array_free(&added);
	return error;
}

static int list_ranges(const struct kernel_copy *copy,
		       const struct kcore *kcore, struct array *ranges)
{
	struct array near = ARRAY_OF(struct code_range);
	const struct code_range *items;
	int error = list_near(copy, kcore, &near);

	items = near.items;
	for (size_t i = 0; i < near.count && !error; i++)
		error = code_pages_find(kcore, &items[i], ranges);
	array_free(&near);
	return error;
}

static int explain(const struct log *log, const char *path, int error)
{
	bool denied =
		error == -ERROR_SYSTEM && (errno == EACCES || errno == EPERM);

	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s%s",
		    error == -ERROR_SYSTEM ? strerror(errno)
					   : error_text(error),
		    denied ? ": the kernel's code is needed to decode its "
			     "trace; record as root"
			   : "");
	return error;
}

static int copy_kcore(const struct kernel_copy *copy, const char *folder,
		      const struct log *log)
{
	struct array ranges = ARRAY_OF(struct code_range);
	char path[4096];
	struct kcore kcore;
	int error = kcore_open(&kcore, "/proc/kcore");

	if (error)
		return explain(log, "/proc/kcore", error);
	snprintf(path, sizeof(path), "%s/kcore", folder);
	unlink(path);
	error = list_ranges(copy, &kcore, &ranges);
	if (!error)
		error = kcore_copy(&kcore, path, ranges.items, ranges.count);
	if (error)
		explain(log, path, error);
	kcore_close(&kcore);
	array_free(&ranges);
	return error;
}

static int write_file(const char *folder, const char *name,
		      const struct byte_buffer *text, const struct log *log)
{
	char path[4096];
	FILE *file;
	size_t done;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	if (!file)
		return explain(log, path, -ERROR_SYSTEM);
	/* Without the NUL that ends the text here. */
	done = fwrite(text->bytes, 1, text->size - 1, file);
	if (fclose(file) || done != text->size - 1)
		return explain(log, path, -ERROR_SYSTEM);
	return 0;
}

/* The address of the first of @names that the kernel has. */
static uint64_t first_of(const struct kernel_symbols *symbols,
			 const char *const names[2])
{
	uint64_t address = kernel_symbols_address(symbols, names[0]);

	return address ? address : kernel_symbols_address(symbols, names[1]);
}

static int find_text(struct kernel_copy *copy, const struct log *log)
{
	static const char *const starts[] = { "_stext", "_text" };
	static const char *const references[] = { "_text", "_stext" };
	static const char *const ends[] = { "_etext", "_etext" };

	copy->text.start = first_of(&copy->symbols, starts);
	copy->reference = first_of(&copy->symbols, references);
	copy->text.end = first_of(&copy->symbols, ends);
	if (copy->text.start && copy->text.end > copy->text.start)
		return 0;
	log_message(log, LOG_ERROR, "/proc/kallsyms", LOG_NO_OFFSET,
		    "the kernel hides its addresses: record as root with "
		    "`sysctl kernel.kptr_restrict=0`");
	return -ERROR_NOT_FOUND;
}

static int read_text(const char *path, struct byte_buffer *text,
		     const struct log *log)
{
	int error = byte_buffer_file(text, path);

	/* A kernel without modules has no such file. */
	if (error && errno == ENOENT)
		error = 0;
	byte_buffer_zeros(text, 1);
	if (!error && text->failed)
		error = -ERROR_MEMORY;
	return error ? explain(log, path, error) : 0;
}

/* Copies once.  Returns 1 if modules came or went meanwhile. */
static int try_copy(struct kernel_copy *copy, const char *folder,
		    const struct log *log)
{
	struct byte_buffer before = { 0 };
	struct byte_buffer after = { 0 };
	int error = read_text("/proc/modules", &before, log);

	if (!error)
		error = module_list_parse((const char *)before.bytes,
					  &copy->modules);
	if (!error)
		error = copy_kcore(copy, folder, log);
	if (!error)
		error = write_file(folder, "modules", &before, log);
	if (!error)
		error = read_text("/proc/modules", &after, log);
	if (!error && (before.size != after.size ||
		       memcmp(before.bytes, after.bytes, after.size)))
		error = 1;
	byte_buffer_free(&before);
	byte_buffer_free(&after);
	return error;
}

int kernel_copy_make(struct kernel_copy *copy, const char *folder,
		     const struct log *log)
{
	enum { TRIES = 5 };
	int error = 1;

	*copy = (struct kernel_copy){ .modules = ARRAY_OF(struct module) };
	if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		return explain(log, folder, -ERROR_SYSTEM);
	for (int i = 0; i < TRIES && error == 1; i++) {
		kernel_copy_free(copy);
		error = kernel_symbols_read(&copy->symbols, "/proc/kallsyms");
		if (error)
			return explain(log, "/proc/kallsyms", error);
		error = find_text(copy, log);
		if (!error)
			error = try_copy(copy, folder, log);
	}
	if (error >= 0)
		error = write_file(folder, "kallsyms", &copy->symbols.text,
				   log);
	return error;
}

void kernel_copy_free(struct kernel_copy *copy)
{
	kernel_symbols_free(&copy->symbols);
	array_free(&copy->modules);
}
