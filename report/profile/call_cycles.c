/* SPDX-License-Identifier: MIT */
#include "report/profile/call_graph.h"

#include "common/error.h"

#include <stdlib.h>

/* Tarjan's strongly connected components, SIAM J. Comput. 1(2), 1972, with an
 * explicit stack, because the depth of untrusted input is unbounded.
 */
struct row_state {
	uint32_t first_arc; /* into by_caller */
	uint32_t next_arc;
	uint32_t end_arc;
	uint32_t number; /* in order of visit, from 1 */
	uint32_t lowest; /* number reachable from here */
	bool is_open;	 /* on the component stack */
};

struct finder {
	struct call_graph *graph;
	struct row_state *rows;
	uint32_t *callees; /* of ordinary arcs, grouped by caller */
	uint32_t *path;	   /* rows being visited */
	uint32_t *open;	   /* rows with an unknown component */
	uint32_t path_count;
	uint32_t open_count;
	uint32_t visited;
};

static bool is_ordinary(const struct call_arc *arc)
{
	return arc->caller != CALL_GRAPH_NOBODY && !arc->is_interrupt &&
	       arc->caller != arc->callee;
}

static void group_by_caller(struct finder *finder, size_t row_count)
{
	const struct call_graph *graph = finder->graph;
	uint32_t at = 0;

	for (size_t i = 0; i < graph->arc_count; i++)
		if (is_ordinary(&graph->arcs[i]))
			finder->rows[graph->arcs[i].caller].end_arc++;
	for (size_t i = 0; i < row_count; i++) {
		struct row_state *row = &finder->rows[i];
		uint32_t count = row->end_arc;

		row->first_arc = at;
		row->next_arc = at;
		row->end_arc = at;
		at += count;
	}
	for (size_t i = 0; i < graph->arc_count; i++) {
		const struct call_arc *arc = &graph->arcs[i];

		if (is_ordinary(arc))
			finder->callees[finder->rows[arc->caller].end_arc++] =
				arc->callee;
	}
}

static void enter_row(struct finder *finder, uint32_t index)
{
	struct row_state *row = &finder->rows[index];

	row->number = ++finder->visited;
	row->lowest = row->number;
	row->is_open = true;
	finder->path[finder->path_count++] = index;
	finder->open[finder->open_count++] = index;
}

static void reach(struct row_state *row, uint32_t number)
{
	if (number < row->lowest)
		row->lowest = number;
}

/* All rows above @index on the stack form one component with it. */
static void close_component(struct finder *finder, uint32_t index)
{
	bool is_cycle = finder->open[finder->open_count - 1] != index;
	uint32_t row;

	if (is_cycle)
		finder->graph->cycle_count++;
	do {
		row = finder->open[--finder->open_count];
		finder->rows[row].is_open = false;
		finder->graph->cycle_of_row[row] =
			is_cycle ? finder->graph->cycle_count : 0;
	} while (row != index);
}

static void leave_row(struct finder *finder, uint32_t index)
{
	const struct row_state *row = &finder->rows[index];

	if (row->lowest == row->number)
		close_component(finder, index);
	finder->path_count--;
	if (finder->path_count)
		reach(&finder->rows[finder->path[finder->path_count - 1]],
		      row->lowest);
}

static void visit_from(struct finder *finder, uint32_t start)
{
	enter_row(finder, start);
	while (finder->path_count) {
		uint32_t index = finder->path[finder->path_count - 1];
		struct row_state *row = &finder->rows[index];
		const struct row_state *callee;

		if (row->next_arc == row->end_arc) {
			leave_row(finder, index);
			continue;
		}
		callee = &finder->rows[finder->callees[row->next_arc++]];
		if (!callee->number)
			enter_row(finder, (uint32_t)(callee - finder->rows));
		else if (callee->is_open)
			reach(row, callee->number);
	}
}

int call_graph_find_cycles(struct call_graph *graph, size_t row_count)
{
	struct finder finder = {
		.graph = graph,
		.rows = calloc(row_count + 1, sizeof(*finder.rows)),
		.callees = calloc(graph->arc_count + 1, sizeof(uint32_t)),
		.path = calloc(row_count + 1, sizeof(uint32_t)),
		.open = calloc(row_count + 1, sizeof(uint32_t)),
	};
	int status = -ERROR_MEMORY;

	graph->cycle_of_row = calloc(row_count + 1, sizeof(uint32_t));
	if (graph->cycle_of_row && finder.rows && finder.callees &&
	    finder.path && finder.open) {
		group_by_caller(&finder, row_count);
		for (uint32_t i = 0; i < row_count; i++)
			if (!finder.rows[i].number)
				visit_from(&finder, i);
		status = 0;
	}
	free(finder.rows);
	free(finder.callees);
	free(finder.path);
	free(finder.open);
	return status;
}
