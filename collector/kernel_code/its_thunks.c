/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/its_thunks.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kcore_copy.h"
#include "common/error.h"

#include <stdbool.h>

enum { THUNK_PAGE = 4096, BREAKPOINT = 0xcc, HALF_LINE = 32 };

/* Returns the length of "jmp *%reg" in the @left bytes at @bytes, or 0. */
static size_t jump_length(const uint8_t *bytes, size_t left)
{
	size_t prefix = left && bytes[0] == 0x41;

	return left >= prefix + 2 && bytes[prefix] == 0xff &&
			       (bytes[prefix + 1] & 0xf8) == 0xe0 ?
		       prefix + 2 :
		       0;
}

static bool is_thunk_page(const uint8_t *page)
{
	size_t thunks = 0;

	for (size_t at = 0; at < THUNK_PAGE;) {
		size_t length;

		if (page[at] == BREAKPOINT) {
			at++;
			continue;
		}
		length = jump_length(page + at, THUNK_PAGE - at);
		if (!length || !(at & HALF_LINE))
			return false;
		at += length;
		thunks++;
	}
	return thunks;
}

int its_thunks_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *thunks)
{
	uint8_t page[THUNK_PAGE];
	struct code_range *last = NULL;

	for (uint64_t at = range->start; at + THUNK_PAGE <= range->end;
	     at += THUNK_PAGE) {
		if (kcore_read(kcore, at, page, sizeof(page)) ||
		    !is_thunk_page(page)) {
			last = NULL;
			continue;
		}
		if (!last) {
			last = array_add(thunks);
			if (!last)
				return -ERROR_MEMORY;
			last->start = at;
		}
		last->end = at + THUNK_PAGE;
	}
	return 0;
}
