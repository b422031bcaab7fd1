/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_CALL_GRAPH_H
#define KT_REPORT_PROFILE_CALL_GRAPH_H

#include "report/profile/call_tree.h"

/* Stands for the caller of a function whose caller is not known. */
#define CALL_GRAPH_NOBODY UINT32_MAX

/* All calls of one function by another. */
struct call_arc {
	uint32_t caller; /* row of the profile, or CALL_GRAPH_NOBODY */
	uint32_t callee;
	bool is_interrupt; /* it interrupted its caller */
	struct call_counts calls;
	/* self time of the callee when called by the caller */
	uint64_t self_ns;
	uint64_t inferred_ns; /* part of self_ns whose process is inferred */
	uint64_t total_ns;    /* time of the callee and all its callees */
};

struct call_graph {
	struct call_arc *arcs;
	size_t arc_count;
	/* by row: the number, from 1, of its cycle, a group of functions that
	 * call each other, directly or through others; 0: in none
	 */
	uint32_t *cycle_of_row;
	uint32_t cycle_count;
};

/* Finds the arcs and cycles of @tree. @profile must be made of @tree
 * (function_profile_make()). Arcs of interrupts are in no cycle, because the
 * interrupted function does not call the handler.
 *
 * Returns 0 and @graph, which the caller frees with call_graph_free(), or
 * -ERROR_MEMORY.
 */
int call_graph_make(const struct call_tree *tree,
		    const struct function_profile *profile,
		    struct call_graph *graph);
void call_graph_free(struct call_graph *graph);

#endif
