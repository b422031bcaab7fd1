/* SPDX-License-Identifier: MIT */
#include "report/profile/flame_layout.h"

#include "common/error.h"
#include "report/profile/call_tree_sums.h"
#include "report/text/function_label.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

struct sorter {
	const struct call_tree *tree;
	const struct function_table *functions;
};

static uint32_t group_of(const struct call_node *node)
{
	/* CALL_NODE_NONE wraps to 0, so roots come first. */
	return node->parent + 1;
}

static int compare_processes(int32_t a, int32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct sorter *sorter = ctx;
	uint32_t first = *(const uint32_t *)a;
	uint32_t second = *(const uint32_t *)b;
	const struct call_node *x = call_tree_at(sorter->tree, first);
	const struct call_node *y = call_tree_at(sorter->tree, second);
	int order;

	if (group_of(x) != group_of(y))
		return group_of(x) < group_of(y) ? -1 : 1;
	if (x->function == FUNCTION_NONE)
		return compare_processes(call_tree_pid(sorter->tree, first),
					 call_tree_pid(sorter->tree, second));
	order = strcmp(function_text(sorter->functions, x->function),
		       function_text(sorter->functions, y->function));
	if (order)
		return order;
	return first < second ? -1 : 1;
}

/* Children have larger numbers than their parents. */
static void count_levels(const struct call_tree *tree,
			 struct flame_layout *layout)
{
	for (uint32_t i = call_tree_count(tree); i-- > 0;) {
		uint32_t parent = call_tree_at(tree, i)->parent;
		uint32_t levels = layout->below[i] + 1;

		if (parent != CALL_NODE_NONE && levels > layout->below[parent])
			layout->below[parent] = levels;
	}
}

/* Places the nodes, which are grouped by parent, parents before children. */
static void place(const struct call_tree *tree, const uint32_t *order,
		  struct flame_layout *layout)
{
	uint32_t group = CALL_NODE_NONE;
	uint64_t next_ns = 0;

	for (uint32_t i = 0; i < call_tree_count(tree); i++) {
		uint32_t index = order[i];
		uint32_t parent = call_tree_at(tree, index)->parent;
		uint32_t depth = 0;

		if (parent != group)
			next_ns = layout->start_ns[parent];
		group = parent;
		if (parent != CALL_NODE_NONE)
			depth = layout->depth[parent] + 1;
		layout->start_ns[index] = next_ns;
		layout->depth[index] = depth;
		next_ns += layout->total_ns[index];
		if (depth > layout->max_depth)
			layout->max_depth = depth;
		if (parent == CALL_NODE_NONE)
			layout->all_ns += layout->total_ns[index];
	}
}

int flame_layout_make(const struct call_tree *tree,
		      const struct function_table *functions,
		      struct flame_layout *layout)
{
	struct sorter sorter = { tree, functions };
	uint32_t count = call_tree_count(tree);
	uint32_t *order = calloc((size_t)count + 1, sizeof(*order));
	int status = -ERROR_MEMORY;

	*layout = (struct flame_layout){
		.start_ns = calloc((size_t)count + 1, sizeof(uint64_t)),
		.total_ns = call_tree_totals(tree),
		.depth = calloc((size_t)count + 1, sizeof(uint32_t)),
		.below = calloc((size_t)count + 1, sizeof(uint32_t)),
	};
	if (order && layout->start_ns && layout->total_ns && layout->depth &&
	    layout->below) {
		for (uint32_t i = 0; i < count; i++)
			order[i] = i;
		qsort_r(order, count, sizeof(*order), compare_nodes, &sorter);
		place(tree, order, layout);
		count_levels(tree, layout);
		status = 0;
	}
	free(order);
	if (status < 0)
		flame_layout_free(layout);
	return status;
}

void flame_layout_free(struct flame_layout *layout)
{
	free(layout->start_ns);
	free(layout->total_ns);
	free(layout->depth);
	free(layout->below);
	*layout = (struct flame_layout){ 0 };
}
