/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_changes.h"
#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/modules.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, PIECE = 1 << 16 };

static bool is_apart(const struct kernel_copy *copy, uint64_t address)
{
	const struct module *modules = copy->modules.items;

	if (address >= copy->text.start && address < copy->text.end)
		return false;
	for (size_t i = 0; i < copy->modules.count; i++)
		if (address >= modules[i].address &&
		    address - modules[i].address < modules[i].size_bytes)
			return false;
	return true;
}

static bool is_wanted(const struct change_search *search, uint64_t address)
{
	if (search->apart)
		return is_apart(search->apart, address);
	return !search->text ||
	       module_text_has(search->text, search->module, address);
}

/* Adds a changed word. When the list is full, extends its last range to the
 * word if that range begins in @range: words are found in order of address, so
 * all code between is in @range.
 */
static int add_word(struct array *changed, const struct code_range *range,
		    uint64_t address)
{
	struct code_range *last =
		changed->count ? array_at(changed, changed->count - 1) : NULL;
	bool is_full = changed->count >= KERNEL_CHANGES_MAX;

	if (last &&
	    (address == last->end || (is_full && last->start >= range->start &&
				      last->end <= address))) {
		last->end = address + WORD;
		return 0;
	}
	if (is_full)
		return -ERROR_UNSUPPORTED;
	last = array_add(changed);
	if (!last)
		return -ERROR_MEMORY;
	*last = (struct code_range){ address, address + WORD };
	return 0;
}

/* Compares two copies of the @size bytes at @address of @range: @pieces has the
 * old one at 0 and the present one at PIECE.
 */
static int compare_piece(const struct change_search *search,
			 const struct code_range *range, uint64_t address,
			 const uint8_t *pieces, size_t size,
			 struct array *changed)
{
	int error = 0;

	if (!memcmp(pieces, pieces + PIECE, size))
		return 0;
	for (size_t i = 0; i + WORD <= size && !error; i += WORD)
		if (memcmp(pieces + i, pieces + PIECE + i, WORD) &&
		    is_wanted(search, address + i))
			error = add_word(changed, range, address + i);
	return error;
}

static int compare_range(const struct change_search *search,
			 const struct code_range *range, uint8_t *pieces,
			 struct array *changed)
{
	int error = 0;

	for (uint64_t at = range->start; at < range->end && !error;) {
		uint64_t left = range->end - at;
		size_t size = left < PIECE ? (size_t)left : PIECE;

		error = kcore_read(search->before, at, pieces, size);
		if (!error)
			error = kcore_read(search->now, at, pieces + PIECE,
					   size);
		if (!error)
			error = compare_piece(search, range, at, pieces, size,
					      changed);
		at += size;
	}
	return error;
}

/* Returns the intersection of @range and the segment; may be empty. */
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

int kernel_changes_find(const struct change_search *search,
			const struct code_range *range, struct array *changed)
{
	const struct array *held = &search->before->segments;
	const Elf64_Phdr *segments = held->items;
	uint8_t *pieces = malloc(2 * PIECE);
	int error = pieces ? 0 : -ERROR_MEMORY;

	for (size_t i = 0; i < held->count && !error; i++) {
		struct code_range part = common(range, &segments[i]);

		if (segments[i].p_type == PT_LOAD &&
		    !(search->apart &&
		      segments[i].p_flags == KCORE_COPY_LATE_FLAGS))
			error = compare_range(search, &part, pieces, changed);
	}
	free(pieces);
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

/* Returns the possible range of a module's code, which is contiguous and starts
 * at the module's address: at most up to the next module (they are sorted).
 * Addresses after that have no symbols of this module.
 */
static struct code_range range_of(const struct array *modules, size_t index)
{
	const struct module *items = modules->items;
	struct code_range range = {
		items[index].address,
		items[index].address + items[index].size_bytes,
	};

	for (size_t i = index + 1; i < modules->count; i++) {
		if (items[i].address == range.start)
			continue;
		if (items[i].address < range.end)
			range.end = items[i].address;
		break;
	}
	return range;
}

/* Skips removed modules: they ran the copied code, and their addresses may now
 * have any content.
 */
static int find_in_modules(const struct kernel_copy *copy,
			   struct change_search *search, struct array *changed)
{
	struct array loaded = ARRAY_OF(struct module);
	int error = module_list_read(&loaded);

	for (size_t i = 0; i < copy->modules.count && !error; i++) {
		const struct module *module = array_at(&copy->modules, i);
		const struct code_range range = range_of(&copy->modules, i);

		search->module = module;
		if (has_module(&loaded, module))
			error = kernel_changes_find(search, &range, changed);
	}
	array_free(&loaded);
	return error;
}

/* Compares the kernel first, so that a full list cannot hide its changes. */
static int find_in_kernel(const struct kernel_copy *copy,
			  struct change_search *search, struct array *changed)
{
	struct module_text text = { 0 };
	int error = kernel_changes_find(search, &copy->text, changed);

	if (!error)
		error = module_text_read(&text, &copy->symbols, &copy->modules);
	search->text = &text;
	if (!error)
		error = find_in_modules(copy, search, changed);
	module_text_free(&text);
	search->text = NULL;
	return error;
}

/* Compares the code outside of the kernel's text and modules; nothing if the
 * page tables cannot be read.
 */
static int find_in_pages(const struct kernel_copy *copy,
			 struct change_search *search, struct array *changed)
{
	struct array pages = ARRAY_OF(struct code_range);
	int error = executable_pages_find(search->now, &copy->symbols, &pages);

	search->apart = copy;
	for (size_t i = 0; i < pages.count && !error; i++)
		error = kernel_changes_find(search, array_at(&pages, i),
					    changed);
	array_free(&pages);
	return error == -ERROR_NOT_FOUND ? 0 : error;
}

static int find_all(const struct kernel_copy *copy, bool with_kernel,
		    const struct output_folder *folder, const struct kcore *now,
		    struct array *changed)
{
	struct kcore before;
	struct change_search search = { .before = &before, .now = now };
	int error = kcore_open_fd(&before, output_folder_reopen(folder, "kcore",
								O_RDONLY));

	if (error)
		return error;
	if (with_kernel)
		error = find_in_kernel(copy, &search, changed);
	if (!error)
		error = find_in_pages(copy, &search, changed);
	kcore_close(&before);
	return error;
}

static int write_changed(const struct output_folder *folder,
			 const struct kcore *now, const struct array *changed)
{
	return changed->count ? kcore_copy(now, folder, "kcore_end",
					   changed->items, changed->count) :
				0;
}

static void explain(const struct log *log, const char *path, int error)
{
	const char *reason = error_text(error);

	if (error == -ERROR_SYSTEM)
		reason = strerror(errno);
	if (error == -ERROR_UNSUPPORTED)
		reason = "more than can be listed; the first are";
	log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
		    "the code that differs at the end of the recording is "
		    "unknown: %s",
		    reason);
}

int kernel_changes_write(const struct kernel_copy *copy, bool with_kernel,
			 const struct output_folder *folder,
			 const struct log *log)
{
	struct array changed = ARRAY_OF(struct code_range);
	struct kcore now;
	int error = kcore_open(&now, "/proc/kcore");

	if (!error) {
		error = find_all(copy, with_kernel, folder, &now, &changed);
		if (!error || error == -ERROR_UNSUPPORTED) {
			int written = write_changed(folder, &now, &changed);

			error = written ? written : error;
		}
		kcore_close(&now);
	}
	if (error)
		explain(log, folder->path, error);
	array_free(&changed);
	return error;
}
