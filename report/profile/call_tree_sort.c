/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"

#include "common/array.h"
#include "report/profile/call_tree_sums.h"

#include <stdlib.h>

struct child {
	int32_t pid; /* of a root */
	uint32_t function;
	uint32_t is_interrupt;
	uint32_t node;
};

/* The used nodes, parents before their children: */
struct order {
	const struct call_tree *tree;
	bool *used;	 /* by node */
	uint32_t *nodes; /* in the new order */
	uint32_t count;
	struct array children; /* struct child: children of one parent */
};

/* Reversed, because walks visit the last created child first. */
static int compare_children(const void *a, const void *b)
{
	const struct child *x = a;
	const struct child *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? -1 : 1;
	if (x->function != y->function)
		return x->function > y->function ? -1 : 1;
	return (x->is_interrupt < y->is_interrupt) -
	       (x->is_interrupt > y->is_interrupt);
}

/* Adds the used siblings from @first on, sorted. */
static bool add_children(struct order *order, uint32_t first)
{
	order->children.count = 0;
	for (uint32_t i = first; i != CALL_NODE_NONE;
	     i = call_tree_next_sibling(order->tree, i)) {
		const struct call_node *node = call_tree_at(order->tree, i);
		struct child *child;

		if (!order->used[i])
			continue;
		child = array_add(&order->children);
		if (!child)
			return false;
		*child = (struct child){
			.pid = call_tree_pid(order->tree, i),
			.function = node->function,
			.is_interrupt = node->is_interrupt,
			.node = i,
		};
	}
	if (order->children.count > 1)
		qsort(order->children.items, order->children.count,
		      sizeof(struct child), compare_children);
	for (size_t i = 0; i < order->children.count; i++) {
		const struct child *child = array_at(&order->children, i);

		order->nodes[order->count++] = child->node;
	}
	return true;
}

static bool find_order(struct order *order)
{
	const struct call_tree *tree = order->tree;

	if (!add_children(order, call_tree_first_root(tree)))
		return false;
	for (uint32_t i = 0; i < order->count; i++)
		if (!add_children(order,
				  call_tree_first_child(tree, order->nodes[i])))
			return false;
	return true;
}

/* Sets @places to the new number of each node. Unused nodes come last. */
static void find_places(const struct order *order, uint32_t *places)
{
	uint32_t behind = order->count;

	for (uint32_t i = 0; i < order->tree->count; i++)
		if (!order->used[i])
			places[i] = behind++;
	for (uint32_t i = 0; i < order->count; i++)
		places[order->nodes[i]] = i;
}

static void swap_nodes(struct call_tree *tree, uint32_t a, uint32_t b)
{
	struct call_node node = tree->nodes[a];
	struct call_links links = tree->links[a];

	tree->nodes[a] = tree->nodes[b];
	tree->links[a] = tree->links[b];
	tree->nodes[b] = node;
	tree->links[b] = links;
}

/* Moves each node to its number in @places, which is destroyed. */
static void move_nodes(struct call_tree *tree, uint32_t *places)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		uint32_t parent = tree->nodes[i].parent;

		if (parent != CALL_NODE_NONE)
			tree->nodes[i].parent = places[parent];
	}
	for (uint32_t i = 0; i < tree->count; i++)
		while (places[i] != i) {
			uint32_t place = places[i];

			swap_nodes(tree, i, place);
			places[i] = places[place];
			places[place] = place;
		}
}

/* Links each of the first @count nodes to its parent, as if created in this
 * order.
 */
static void link_nodes(struct call_tree *tree, uint32_t count)
{
	tree->count = count;
	tree->first_root = CALL_NODE_NONE;
	for (uint32_t i = 0; i < count; i++) {
		struct call_node *node = &tree->nodes[i];
		uint32_t *first =
			node->parent == CALL_NODE_NONE ?
				&tree->first_root :
				&tree->links[node->parent].first_child;

		node->next_asked = 0;
		node->expected_child = 0;
		node->recent_child = 0;
		tree->links[i].first_child = CALL_NODE_NONE;
		tree->links[i].next_sibling = *first;
		*first = i;
	}
}

bool call_tree_sort(struct call_tree *tree)
{
	struct order order = {
		.tree = tree,
		.used = call_tree_used(tree),
		.children = ARRAY_OF(struct child),
	};
	uint32_t *places = calloc((size_t)tree->count + 1, sizeof(*places));
	bool is_sorted = false;

	order.nodes = calloc((size_t)tree->count + 1, sizeof(*order.nodes));
	if (order.used && order.nodes && places && find_order(&order)) {
		call_tree_forget_slots(tree);
		find_places(&order, places);
		move_nodes(tree, places);
		link_nodes(tree, order.count);
		is_sorted = true;
	}
	free(order.used);
	free(order.nodes);
	free(places);
	array_free(&order.children);
	return is_sorted;
}
