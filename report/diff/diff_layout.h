/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_LAYOUT_H
#define KT_REPORT_DIFF_LAYOUT_H

#include <stdint.h>

struct diff_paths;

/* The position of each path in a flame graph of one side; siblings are sorted
 * by name.
 */
struct diff_layout {
	uint64_t *start_ns; /* by path */
	uint64_t *total_ns; /* by path: its width */
	uint32_t *depth;    /* by path: roots have 0 */
	uint32_t *below;    /* by path: levels below it that have a width */
	uint64_t all_ns;
	uint32_t max_depth; /* of the paths with a width */
};

/* Lays out @side, 0 or 1. Returns 0 and @layout, which the caller frees with
 * diff_layout_free(), or -ERROR_MEMORY.
 */
int diff_layout_make(const struct diff_paths *paths, int side,
		     struct diff_layout *layout);
void diff_layout_free(struct diff_layout *layout);

#endif
