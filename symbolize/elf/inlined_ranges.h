/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_INLINED_RANGES_H
#define KT_SYMBOLIZE_ELF_INLINED_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct function_table;

/* The code of an ELF file that belongs to inlined calls, by its debug
 * information (DWARF 5, 3.3.8.2: DW_TAG_inlined_subroutine).
 *
 *	function   |------------------ caller ------------------|
 *	calls            |--- outer ---|       |- outer -|
 *	                    |-inner-|
 *	ranges           |1 |   2   |1 |       |    1    |
 *
 * Invariants of the ranges of a file:
 *  1. They are in order, do not overlap, and are not empty.
 *  2. A call that begins within a range splits it, so that a call begins at the
 *     start of a range only.
 */
struct inlined_range {
	uint64_t start; /* offset in the file; of the kernel: the address */
	uint64_t end;
	uint32_t site;	  /* the innermost call, see function_table.h */
	uint32_t entries; /* bit N: the call of depth N + 1 begins at start */
};

/* The inlined calls that contain the code at an address. They are the same up
 * to end, where others may begin or end.
 */
struct inlined_place {
	uint32_t site; /* the innermost call, see function_table.h; 0: none */
	/* bit N: the call of depth N + 1 begins at the address */
	uint32_t entries;
	uint64_t end;
};

/* Adds the inlined functions and calls of the ELF file @path to @functions, and
 * their code to @ranges (struct inlined_range), which must be empty. @module
 * must be a text of @functions.
 *
 * The code of calls nested deeper than INLINED_SITES_NESTED counts as that of
 * the call around them. Returns 0, also for a file without debug information,
 * or -ERROR_MEMORY.
 */
int inlined_ranges_add(const char *path, const char *module,
		       struct function_table *functions, struct array *ranges);

/* A function of the kernel or a module, and its address in a recording. */
struct kernel_place {
	const char *name; /* without ".cold" */
	bool is_cold;	  /* its part named ".cold" */
	uint64_t address;
};

/* Like inlined_ranges_add(), for the debug data @path of the kernel, or of its
 * module @module (""), a text of @functions. The kernel chooses the addresses of
 * itself and of each section of a module: @places, @count functions, show how
 * far they are from those of the debug data. The ranges are addresses of the
 * recording, appended to @ranges, which inlined_ranges_sort() must sort. None
 * are added where @places are at different distances, or unknown to the debug
 * data. Sorts @places; functions with one name are ignored.
 */
int inlined_ranges_add_kernel(const char *path, const char *module,
			      struct kernel_place *places, size_t count,
			      struct function_table *functions,
			      struct array *ranges);

void inlined_ranges_sort(struct array *ranges);

/* Sets *@place to the inlined calls at @offset; its end is an offset, too.
 * Returns false if there are none from @first to @end.
 */
bool inlined_ranges_find(const struct array *ranges, uint64_t first,
			 uint64_t offset, uint64_t end,
			 struct inlined_place *place);

#endif
