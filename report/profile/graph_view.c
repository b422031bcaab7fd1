/* SPDX-License-Identifier: MIT */
#include "report/profile/graph_view.h"

#include "common/error.h"
#include "report/profile/tree_label.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

/* The argument of qsort_r() for comparing two arcs by number. */
struct arc_order {
	const struct call_arc *arcs;
	bool by_callee;
};

static int compare_arcs(const void *a, const void *b, void *ctx)
{
	const struct arc_order *order = ctx;
	const struct call_arc *x = &order->arcs[*(const uint32_t *)a];
	const struct call_arc *y = &order->arcs[*(const uint32_t *)b];
	uint32_t x_key = order->by_callee ? x->callee : x->caller;
	uint32_t y_key = order->by_callee ? y->callee : y->caller;

	if (x_key != y_key)
		return x_key < y_key ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static uint32_t *sort_arcs(const struct call_graph *graph, bool by_callee)
{
	uint32_t *list = calloc(graph->arc_count + 1, sizeof(*list));
	struct arc_order order = { graph->arcs, by_callee };

	if (!list)
		return NULL;
	for (uint32_t i = 0; i < graph->arc_count; i++)
		list[i] = i;
	qsort_r(list, graph->arc_count, sizeof(*list), compare_arcs, &order);
	return list;
}

void graph_view_free(struct graph_view *view)
{
	function_profile_free(&view->profile);
	call_graph_free(&view->graph);
	free(view->order);
	free(view->number_of);
	free(view->by_caller);
	free(view->by_callee);
}

static int sort_view(struct graph_view *view)
{
	size_t rows = view->profile.row_count;

	view->order = function_profile_by_total(&view->profile);
	view->number_of = calloc(rows + 1, sizeof(uint32_t));
	view->by_caller = sort_arcs(&view->graph, false);
	view->by_callee = sort_arcs(&view->graph, true);
	if (!view->order || !view->number_of || !view->by_caller ||
	    !view->by_callee)
		return -ERROR_MEMORY;
	for (uint32_t i = 0; i < rows; i++)
		view->number_of[view->order[i]] = i + 1;
	for (uint32_t i = 1; i < rows; i++)
		view->has_processes |= view->profile.rows[i].pid !=
				       view->profile.rows[0].pid;
	view->count = rows < view->report->top ? rows : view->report->top;
	return 0;
}

int graph_view_make(const struct profile_report *report,
		    struct graph_view *view)
{
	int status;

	*view = (struct graph_view){ .report = report };
	status = function_profile_make(report->tree,
				       function_count(report->functions),
				       &view->profile);
	if (!status)
		status = call_graph_make(report->tree, &view->profile,
					 &view->graph);
	if (!status)
		status = sort_view(view);
	if (status < 0)
		graph_view_free(view);
	return status;
}

size_t graph_view_first(const struct graph_view *view, const uint32_t *list,
			uint32_t row)
{
	bool by_callee = list == view->by_callee;
	size_t low = 0;
	size_t high = view->graph.arc_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct call_arc *arc = &view->graph.arcs[list[middle]];

		if ((by_callee ? arc->callee : arc->caller) < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct function_label graph_view_label(const struct graph_view *view,
				       uint32_t row)
{
	const struct function_row *about = &view->profile.rows[row];

	return tree_function_label(view->report, about->function, about->pid);
}
