/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/code_pages.h"
#include "common/error.h"

#include <stdbool.h>
#include <string.h>

enum { CODE_PAGE = 4096 };

/* The kernel fills free executable memory with breakpoints
 * (execmem_fill_trapping_insns() and jit_fill_hole() of arch/x86).
 */
enum { BREAKPOINT = 0xcc };

/* Returns whether the page of @address has content, or a negative enum error.
 */
static int is_used(const struct kcore *kcore, uint64_t address,
		   bool may_be_free)
{
	uint8_t page[CODE_PAGE];
	int error = kcore_read(kcore, address, page, sizeof(page));

	if (error)
		return error;
	return (page[0] && !(may_be_free && page[0] == BREAKPOINT)) ||
	       memcmp(page, page + 1, sizeof(page) - 1);
}

static int find(const struct kcore *kcore, const struct code_range *range,
		bool may_be_free, struct array *ranges)
{
	struct code_range *last = NULL;

	for (uint64_t at = range->start; at < range->end; at += CODE_PAGE) {
		int used = is_used(kcore, at, may_be_free);

		if (used < 0)
			return used;
		if (!used) {
			last = NULL;
			continue;
		}
		if (!last)
			last = array_add(ranges);
		if (!last)
			return -ERROR_MEMORY;
		if (!last->end)
			last->start = at;
		last->end = at + CODE_PAGE;
	}
	return 0;
}

int code_pages_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *ranges)
{
	return find(kcore, range, false, ranges);
}

int code_pages_find_made(const struct kcore *kcore,
			 const struct code_range *range, struct array *ranges)
{
	return find(kcore, range, true, ranges);
}

uint64_t code_pages_end(const struct kcore *kcore, uint64_t start,
			uint64_t limit)
{
	uint64_t at = start - start % CODE_PAGE;

	while (at < start + limit && is_used(kcore, at, false) > 0)
		at += CODE_PAGE;
	return at > start ? at : start;
}
