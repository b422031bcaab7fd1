/* SPDX-License-Identifier: MIT */
#include "report/profile/call_graph.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree_sums.h"
#include "report/profile/tree_walk.h"

#include <stdlib.h>

struct maker {
	const struct call_tree *tree;
	const struct function_profile *profile;
	const uint64_t *totals; /* by node */
	struct array arcs;	/* struct call_arc */
	uint32_t *open;		/* by arc: recursion depth */
	uint32_t *slots;	/* open addressing; arc + 1 */
	size_t slot_count;	/* a power of two */
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

/* An exception's handler is interrupt work; its callees are not. */
static bool is_interrupt_arc(const struct call_tree *tree,
			     const struct call_node *node)
{
	return node->is_interrupt &&
	       !call_tree_at(tree, node->parent)->is_interrupt;
}

/* Returns the number of the arc that leads to node @index. */
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

/* There are at most as many arcs as nodes, so the table never grows. */
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
		status = call_graph_find_cycles(graph, profile->row_count);
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
