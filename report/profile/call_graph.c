/* SPDX-License-Identifier: MIT */
#include "report/profile/call_graph.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"

#include <stdlib.h>

/* A row in Tarjan's search for strongly connected components (SIAM J. Comput.
 * 1(2), 1972). Its stacks are arrays, not recursion, because a recording may
 * have call chains of any depth.
 */
struct row_state {
	uint32_t next_arc; /* index of its next callee in finder.callees */
	uint32_t end_arc;
	uint32_t number; /* in order of visit, from 1; 0: not visited */
	uint32_t lowest; /* the lowest number reachable from here */
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

/* Pops the component of row @index from the open rows: this row and all above
 * it. The component is a cycle if it has several rows.
 */
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

/* Finds the cycles of @graph, which has its arcs, and sets cycle_of_row and
 * cycle_count. @row_count is the number of rows of the profile.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int find_cycles(struct call_graph *graph, size_t row_count)
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

struct maker {
	const struct call_tree *tree;
	const struct function_profile *profile;
	const uint64_t *totals; /* by node */
	struct array arcs;	/* struct call_arc */
	uint32_t *open;		/* by arc: recursion depth */
	uint32_t *slots;   /* hash table, open addressing: arc + 1; 0: free */
	size_t slot_count; /* a power of two */
};

static uint32_t *slot_for(const struct maker *maker, uint32_t caller,
			  uint32_t callee, bool is_interrupt)
{
	uint64_t key = ((uint64_t)caller << 32 | callee) * 2 + is_interrupt;
	size_t mask = maker->slot_count - 1;
	size_t at = (key * 0x9e3779b97f4a7c15 >> 24) & mask;

	while (maker->slots[at]) {
		const struct call_arc *arc =
			array_at(&maker->arcs, maker->slots[at] - 1);

		if (arc->caller == caller && arc->callee == callee &&
		    arc->is_interrupt == is_interrupt)
			break;
		at = (at + 1) & mask;
	}
	return &maker->slots[at];
}

static uint32_t row_of(const struct maker *maker, uint32_t node)
{
	return maker->profile->row_of_node[node];
}

/* Returns whether the arc to @node starts interrupt work: true for the handler
 * of an exception, false for what the handler calls.
 */
static bool is_interrupt_arc(const struct call_tree *tree,
			     const struct call_node *node)
{
	return node->interrupt && !call_tree_at(tree, node->parent)->interrupt;
}

/* Sets *@number to the arc that leads to node @index, which is added if it is
 * new. Returns 0 or -ERROR_MEMORY.
 */
static int find_arc(struct maker *maker, uint32_t index, uint32_t *number)
{
	const struct call_node *node = call_tree_at(maker->tree, index);
	uint32_t caller = row_of(maker, node->parent);
	uint32_t callee = row_of(maker, index);
	bool is_interrupt = is_interrupt_arc(maker->tree, node);
	uint32_t *slot = slot_for(maker, caller, callee, is_interrupt);
	struct call_arc *arc;

	if (!*slot) {
		arc = array_add(&maker->arcs);
		if (!arc)
			return -ERROR_MEMORY;
		arc->caller = caller;
		arc->callee = callee;
		arc->is_interrupt = is_interrupt;
		*slot = (uint32_t)maker->arcs.count;
	}
	*number = *slot - 1;
	return 0;
}

static int visit(struct maker *maker, uint32_t index, bool leaving)
{
	const struct call_node *node = call_tree_at(maker->tree, index);
	struct call_counts calls;
	struct call_arc *arc;
	uint32_t number;

	if (node->parent == CALL_NODE_NONE)
		return 0;
	if (find_arc(maker, index, &number) < 0)
		return -ERROR_MEMORY;
	if (leaving) {
		maker->open[number]--;
		return 0;
	}
	arc = array_at(&maker->arcs, number);
	arc->self_ns += node->self_ns;
	arc->inferred_ns += call_tree_inferred_ns(maker->tree, index);
	calls = call_tree_calls(maker->tree, index);
	call_counts_join(&arc->calls, &calls);
	if (!maker->open[number]++)
		arc->total_ns += maker->totals[index];
	return 0;
}

/* Allocates the table of arcs. There are at most as many arcs as nodes, so the
 * table never grows.
 */
static int make_slots(struct maker *maker)
{
	uint32_t nodes = call_tree_count(maker->tree);

	maker->slot_count = 64;
	while (maker->slot_count < (size_t)nodes * 2)
		maker->slot_count *= 2;
	maker->slots = calloc(maker->slot_count, sizeof(*maker->slots));
	maker->open = calloc((size_t)nodes + 1, sizeof(*maker->open));
	return maker->slots && maker->open ? 0 : -ERROR_MEMORY;
}

static int walk_tree(struct maker *maker)
{
	struct tree_walk walk = tree_walk_of(maker->tree);
	int status = maker->totals ? make_slots(maker) : -ERROR_MEMORY;

	while (!status && tree_walk_next(&walk))
		status = visit(maker, walk.node, walk.leaving);
	return status;
}

int call_graph_make(const struct call_tree *tree,
		    const struct function_profile *profile,
		    struct call_graph *graph)
{
	uint64_t *totals = call_tree_totals(tree);
	struct maker maker = {
		.tree = tree,
		.profile = profile,
		.totals = totals,
		.arcs = ARRAY_OF(struct call_arc),
	};
	int status = walk_tree(&maker);

	free(totals);
	free(maker.open);
	free(maker.slots);
	*graph = (struct call_graph){
		.arcs = maker.arcs.items,
		.arc_count = maker.arcs.count,
	};
	if (!status)
		status = find_cycles(graph, profile->row_count);
	if (status < 0)
		call_graph_free(graph);
	return status;
}

void call_graph_free(struct call_graph *graph)
{
	free(graph->arcs);
	free(graph->cycle_of_row);
	*graph = (struct call_graph){ 0 };
}
