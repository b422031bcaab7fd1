/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_ITS_THUNKS_H
#define KT_COLLECTOR_ITS_THUNKS_H

struct array;
struct code_range;
struct kcore;

/* The name for such pages. The kernel's own thunks have this name
 * (arch/x86/lib/retpoline.S), and the symbol code for x86 recognizes a thunk by
 * it.
 */
#define ITS_THUNK_NAME "__x86_indirect_its_thunk"

/* Finds the pages with thunks of the mitigation of Indirect Target Selection,
 * which the kernel creates at boot and for each module (its_allocate_thunk() in
 * arch/x86/kernel/alternative.c): pages of breakpoints with jumps through a
 * register, each in the second half of a cache line. They have no symbols.
 *
 * Appends the parts of @range that are such pages to @thunks (struct
 * code_range). Returns 0 or -ERROR_MEMORY.
 */
int its_thunks_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *thunks);

#endif
