/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_ITS_THUNKS_H
#define KT_COLLECTOR_ITS_THUNKS_H

struct array;
struct code_range;
struct kcore;

/* The name of such pages: the kernel's own thunks are called so
 * (arch/x86/lib/retpoline.S), and the symbols of x86 know a thunk by it.
 */
#define ITS_THUNK_NAME "__x86_indirect_its_thunk"

/* Finds the pages with thunks of the mitigation of Indirect Target Selection
 * that the kernel makes as it starts and for each module (its_allocate_thunk() in
 * arch/x86/kernel/alternative.c): pages of breakpoints with jumps to what a
 * register holds, one in the second half of a cache line.  Nothing names them.
 *
 * Appends the parts of @range that are such pages to @thunks (struct code_range).
 * Returns 0 or -ERROR_MEMORY.
 */
int its_thunks_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *thunks);

#endif
