/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_ranges.h"
#include "collector/kernel_code/code_pages.h"
#include "collector/kernel_code/dynamic_code.h"
#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/module_list.h"
#include "common/error.h"

/* Modules nearer than this share a segment, so that there are fewer segments.
 */
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

/* The ends of these ranges are upper bounds, so kcore may lack them. */
static bool is_held(const struct kcore *kcore, const struct code_range *range)
{
	uint8_t byte;

	return range->end > range->start &&
	       !kcore_read(kcore, range->end - 1, &byte, 1);
}

/* Lists the kernel's text, which is after the modules on arm64, the modules, and
 * other code added to them, by address.
 */
static int list_code(const struct kernel_copy *copy, const struct kcore *kcore,
		     struct array *code)
{
	const struct module *modules = copy->modules.items;
	int error = dynamic_code_find(&copy->symbols, code);
	struct code_range *items = code->items;
	size_t kept = 0;

	for (size_t i = 0; i < code->count; i++)
		if (is_held(kcore, &items[i]))
			items[kept++] = items[i];
	code->count = kept;
	if (!error)
		error = executable_pages_find(kcore, &copy->symbols, code);
	/* Without page tables, uses only kallsyms and /proc/modules. */
	if (error == -ERROR_NOT_FOUND)
		error = 0;
	for (size_t i = 0; i < copy->modules.count && !error; i++) {
		struct code_range *range = array_add(code);

		if (!range)
			return -ERROR_MEMORY;
		range->start = modules[i].address;
		range->end = modules[i].address + modules[i].size_bytes;
	}
	if (!error)
		error = array_append(code, &copy->text);
	array_sort(code, compare_starts);
	return error;
}

static int list_near(const struct kernel_copy *copy, const struct kcore *kcore,
		     struct array *near)
{
	struct array code = ARRAY_OF(struct code_range);
	int error = list_code(copy, kcore, &code);
	const struct code_range *items = code.items;

	for (size_t i = 0; i < code.count && !error; i++)
		error = add_range(near, items[i].start, items[i].end);
	array_free(&code);
	return error;
}

int kernel_ranges_find(const struct kernel_copy *copy,
		       const struct kcore *kcore, struct array *ranges)
{
	struct array near = ARRAY_OF(struct code_range);
	const struct code_range *items;
	int error = list_near(copy, kcore, &near);

	items = near.items;
	for (size_t i = 0; i < near.count && !error; i++)
		error = items[i].start < copy->text.end &&
					copy->text.start < items[i].end ?
				code_pages_find(kcore, &items[i], ranges) :
				code_pages_find_made(kcore, &items[i], ranges);
	array_free(&near);
	return error;
}
