/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_GRAPH_VIEW_H
#define KT_REPORT_GRAPH_VIEW_H

#include "report/profile/call_graph.h"
#include "report/profile/profile_report.h"
#include "report/text/function_label.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call graph with the indices that a renderer needs. */
struct graph_view {
	const struct profile_report *report;
	struct function_profile profile;
	struct call_graph graph;
	uint32_t *order;     /* rows by total time */
	uint32_t *number_of; /* by row: its position in the order, from 1 */
	uint32_t *by_caller; /* arcs by caller, then time */
	uint32_t *by_callee;
	uint64_t count;	    /* number of rows to show */
	bool has_processes; /* rows of several processes */
};

/* Returns 0 or -ERROR_MEMORY. Call graph_view_free() after success. */
int graph_view_make(const struct profile_report *report,
		    struct graph_view *view);
void graph_view_free(struct graph_view *view);

/* Returns the first index in @list (by_callee or by_caller) whose arc has @row
 * at the end by which the list is sorted.
 */
size_t graph_view_first(const struct graph_view *view, const uint32_t *list,
			uint32_t row);

struct function_label graph_view_label(const struct graph_view *view,
				       uint32_t row);

#endif
