/* SPDX-License-Identifier: MIT */
#include "tables/relations/part_tree.h"

#include "common/error.h"
#include "report/profile/call_tree.h"

#include <stdlib.h>

struct part_tree {
	uint32_t count;
	struct part_line lines[]; /* by node */
};

static void add_below(const struct call_tree *nodes, struct part_tree *tree)
{
	/* Children follow their parents. */
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t parent = call_tree_at(nodes, i)->parent;

		if (parent == CALL_NODE_NONE)
			continue;
		tree->lines[parent].on_cpu_ns += tree->lines[i].on_cpu_ns;
		tree->lines[parent].off_cpu_ns += tree->lines[i].off_cpu_ns;
	}
}

struct part_tree *part_tree_new(const struct call_tree *nodes,
				const struct call_parts *parts, uint64_t calls)
{
	uint32_t count = call_tree_count(nodes);
	struct part_tree *tree =
		calloc(1, sizeof(*tree) + count * sizeof(*tree->lines));
	double share = calls ? 1.0 / (double)calls : 0;

	if (!tree)
		return NULL;
	tree->count = count;
	for (size_t i = 0; i < parts->list.count; i++) {
		const struct call_part *part = array_at(&parts->list, i);
		struct part_line *line = &tree->lines[part->node];

		line->calls = (double)part->calls * share;
		line->self_ns = (double)part->on_cpu_ns * share;
		line->on_cpu_ns = line->self_ns;
		line->off_cpu_ns = (double)part->off_cpu_ns * share;
	}
	add_below(nodes, tree);
	return tree;
}

void part_tree_free(struct part_tree *tree)
{
	free(tree);
}

struct part_line part_tree_line(const struct part_tree *tree, uint32_t node)
{
	return tree->lines[node];
}

/* A node yet to be visited. */
struct heavy_node {
	uint32_t node;
	uint32_t depth;
	double weight;
};

struct walk {
	const struct call_tree *tree;
	part_weight *weight;
	double least;
	void *ctx;
	/* struct heavy_node, a stack: the last is the next to visit */
	struct array waiting;
};

/* The heaviest is last. */
static int compare_nodes(const void *a, const void *b)
{
	const struct heavy_node *x = a;
	const struct heavy_node *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->node > y->node ? -1 : x->node < y->node;
}

static int add_children(struct walk *walk, uint32_t parent, uint32_t depth)
{
	uint32_t node = call_tree_first_child(walk->tree, parent);
	size_t before = walk->waiting.count;
	struct heavy_node *items;

	for (; node != CALL_NODE_NONE;
	     node = call_tree_next_sibling(walk->tree, node)) {
		double weight = walk->weight(walk->ctx, node);
		const struct heavy_node child = { node, depth, weight };

		if (weight >= walk->least &&
		    array_append(&walk->waiting, &child) < 0)
			return -ERROR_MEMORY;
	}
	items = walk->waiting.items;
	if (walk->waiting.count > before)
		qsort(items + before, walk->waiting.count - before,
		      sizeof(*items), compare_nodes);
	return 0;
}

int part_tree_walk(const struct call_tree *tree, part_weight *weight,
		   double least, part_visit *visit, void *ctx)
{
	struct walk walk = {
		.tree = tree,
		.weight = weight,
		.least = least,
		.ctx = ctx,
		.waiting = ARRAY_OF(struct heavy_node),
	};
	uint32_t root = call_tree_first_root(tree);
	int status = root == CALL_NODE_NONE ? 0 : add_children(&walk, root, 0);

	while (!status && walk.waiting.count) {
		const struct heavy_node *items = walk.waiting.items;
		struct heavy_node next = items[--walk.waiting.count];

		status = visit(ctx, next.node, next.depth);
		if (!status)
			status = add_children(&walk, next.node, next.depth + 1);
	}
	array_free(&walk.waiting);
	return status;
}
