/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CODE_PAGES_H
#define KT_COLLECTOR_CODE_PAGES_H

#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kcore_copy.h"

#include <stdbool.h>

/* Finds the pages of the kernel's memory that have content. Between modules,
 * and between the pieces of one, are addresses without memory; kcore reads as
 * zeros there, which are a valid x86 instruction.
 */

/* Appends the parts of @range that are not all zeros, in whole pages, to
 * @ranges (struct code_range). Extends the last of @ranges if it is adjacent.
 *
 * Returns 0 or a negative enum error, with errno set if -ERROR_SYSTEM.
 */
int code_pages_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *ranges);

/* The kernel allocates memory for JIT code in aligned chunks of this many bytes
 * (BPF_PROG_CHUNK_SIZE), of which a page holds several programs.
 */
enum { CODE_PAGES_CHUNK = 64 };

/* Returns whether the @size bytes @bytes, a multiple of 4, are the breakpoints
 * with which the kernel fills free executable memory
 * (execmem_fill_trapping_insns() and jit_fill_hole() of arch/x86,
 * AARCH64_BREAK_FAULT of arch/arm64).
 */
bool code_pages_is_free(const struct kcore *kcore, const uint8_t *bytes,
			size_t size);

/* Like code_pages_find(), but for code that is generated while the kernel runs:
 * also omits free chunks, which are filled with breakpoints. New code may be
 * written there later, and perf finds its copy only if no other one contains
 * its addresses. (In the kernel's text such chunks are padding, and perf
 * requires the text in one piece.)
 */
int code_pages_find_made(const struct kcore *kcore,
			 const struct code_range *range, struct array *ranges);

/* Returns the end of the pages with content that start at @start, at most
 * @limit bytes after it; @start if there are none.
 */
uint64_t code_pages_end(const struct kcore *kcore, uint64_t start,
			uint64_t limit);

#endif
