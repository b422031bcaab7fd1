/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_RENDER_FLAMEGRAPH_INTERNAL_H
#define KT_REPORT_PROFILE_RENDER_FLAMEGRAPH_INTERNAL_H

#include "report/profile/call_tree.h"

#include <stdint.h>

struct function_table;

/* The position of each node of a call tree in a flame graph. Callers are above
 * their callees; siblings are sorted by name.
 */
struct flame_layout {
	uint64_t *start_ns; /* by node */
	uint64_t *total_ns; /* by node: its width */
	uint32_t *depth;    /* by node: roots have 0 */
	uint32_t *below;    /* by node: number of levels below it */
	uint64_t all_ns;
	uint32_t max_depth;
};

/* Lays out @tree. Returns 0 and @layout, which the caller frees with
 * flame_layout_free(), or -ERROR_MEMORY.
 */
int flame_layout_make(const struct call_tree *tree,
		      const struct function_table *functions,
		      struct flame_layout *layout);
void flame_layout_free(struct flame_layout *layout);

#endif
