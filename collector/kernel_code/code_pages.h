/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CODE_PAGES_H
#define KT_COLLECTOR_CODE_PAGES_H

#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kcore_copy.h"

/* Which pages of the kernel's memory hold anything.  Between modules, and
 * between the pieces of one, are addresses without memory; kcore reads as
 * zeros there, which are an instruction of x86.
 */

/* Appends the parts of @range that are more than zeros, from page to page, to
 * @ranges (struct code_range).
 *
 * Returns 0 or a negative enum error, with errno set if -ERROR_SYSTEM.
 */
int code_pages_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *ranges);

/* Like code_pages_find(), for code that is made while the kernel runs: free pages
 * of x86's breakpoints are left out, too.  (In the kernel's text they are padding,
 * and perf wants that in one piece.)
 */
int code_pages_find_made(const struct kcore *kcore,
			 const struct code_range *range, struct array *ranges);

/* Returns the end of the pages from @start on that hold anything, at most
 * @limit bytes behind it; @start if there are none.
 */
uint64_t code_pages_end(const struct kcore *kcore, uint64_t start,
			uint64_t limit);

#endif
