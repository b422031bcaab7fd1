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
	/* Children come after their parents. */
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

struct heavy_node {
	uint32_t node;
	double weight;
};

struct walk {
	const struct call_tree *tree;
	part_weight *weight;
	double least;
	part_visit *visit;
	void *ctx;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct heavy_node *x = a;
	const struct heavy_node *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int list_children(const struct walk *walk, uint32_t parent,
			 struct array *children)
{
	uint32_t node = call_tree_first_child(walk->tree, parent);

	for (; node != CALL_NODE_NONE;
	     node = call_tree_next_sibling(walk->tree, node)) {
		double weight = walk->weight(walk->ctx, node);

		if (weight < walk->least)
			continue;
		if (array_append(children,
				 &(struct heavy_node){ node, weight }) < 0)
			return -ERROR_MEMORY;
	}
	array_sort(children, compare_nodes);
	return 0;
}

/* Recursion: as deep as the kernel's own calls were. */
static int visit_children(const struct walk *walk, uint32_t parent,
			  uint32_t depth)
{
	struct array children = ARRAY_OF(struct heavy_node);
	int status = list_children(walk, parent, &children);

	for (size_t i = 0; i < children.count && !status; i++) {
		const struct heavy_node *child = array_at(&children, i);

		status = walk->visit(walk->ctx, child->node, depth);
		if (!status)
			status = visit_children(walk, child->node, depth + 1);
	}
	array_free(&children);
	return status;
}

int part_tree_walk(const struct call_tree *tree, part_weight *weight,
		   double least, part_visit *visit, void *ctx)
{
	const struct walk walk = { tree, weight, least, visit, ctx };
	uint32_t root = call_tree_first_root(tree);

	return root == CALL_NODE_NONE ? 0 : visit_children(&walk, root, 0);
}
