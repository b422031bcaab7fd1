/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_GRAPH_H
#define KT_REPORT_CALL_GRAPH_H

#include "report/profile/function_profile.h"

/* The caller of what nothing was seen to call. */
#define CALL_GRAPH_NOBODY UINT32_MAX

/* All calls of one function by another. */
struct call_arc {
	uint32_t caller; /* row of the profile, or CALL_GRAPH_NOBODY */
	uint32_t callee;
	bool is_interrupt; /* it broke into its caller */
	struct call_counts calls;
	uint64_t self_ns;     /* of the callee when called by the caller */
	uint64_t inferred_ns; /* of self_ns: as in struct function_row */
	uint64_t total_ns;    /* the same, with all that it called */
};

struct call_graph {
	struct call_arc *arcs;
	size_t arc_count;
	uint32_t *cycle_of_row; /* 0: in none; else the number of its cycle,
				 * functions that call each other in a ring */
	uint32_t cycle_count;
};

/* Finds the arcs and cycles of @tree, whose @profile has been made.
 * Interrupts do not make cycles: they are no calls of what they interrupt.
 *
 * Returns 0 and @graph, to be freed by call_graph_free(), or -ERROR_MEMORY.
 */
int call_graph_make(const struct call_tree *tree,
		    const struct function_profile *profile,
		    struct call_graph *graph);
void call_graph_free(struct call_graph *graph);

/* Numbers the cycles of @graph, from 1; done by call_graph_make().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int call_graph_find_cycles(struct call_graph *graph, size_t row_count);

#endif
