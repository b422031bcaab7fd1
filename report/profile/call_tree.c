/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"

#include "common/memory.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct call_tree *call_tree_new(void)
{
	struct call_tree *tree = calloc(1, sizeof(*tree));

	if (tree)
		tree->first_root = CALL_NODE_NONE;
	return tree;
}

void call_tree_free(struct call_tree *tree)
{
	if (!tree)
		return;
	free(tree->nodes);
	free(tree->links);
	free(tree->more);
	free(tree->slots);
	free(tree);
}

uint32_t call_tree_first_root(const struct call_tree *tree)
{
	return tree->first_root;
}

uint32_t call_tree_first_child(const struct call_tree *tree, uint32_t node)
{
	return tree->links[node].first_child;
}

uint32_t call_tree_next_sibling(const struct call_tree *tree, uint32_t node)
{
	return tree->links[node].next_sibling;
}

int32_t call_tree_pid(const struct call_tree *tree, uint32_t node)
{
	return tree->links[node].pid;
}

static bool reserve_more(struct call_tree *tree, uint32_t count)
{
	struct call_more *more =
		large_memory_move(tree->more, tree->more_count * sizeof(*more),
				  ((size_t)count + 1) * sizeof(*more));

	if (!more)
		return false;
	tree->more = more;
	if (!tree->more_count)
		more[tree->more_count++] = (struct call_more){ 0 };
	return true;
}

bool call_tree_reserve(struct call_tree *tree, uint32_t count)
{
	struct call_links *links;
	struct call_node *nodes;

	if (count <= tree->room)
		return true;
	if (!reserve_more(tree, count))
		return false;
	links = large_memory_move(tree->links, tree->count * sizeof(*links),
				  count * sizeof(*links));
	if (!links)
		return false;
	tree->links = links;
	nodes = large_memory_move(tree->nodes, tree->count * sizeof(*nodes),
				  count * sizeof(*nodes));
	if (!nodes)
		return false;
	tree->nodes = nodes;
	tree->room = count;
	return true;
}

/* Use large pages early: nodes are accessed in random order, and untouched
 * memory costs nothing.
 */
static bool grow_nodes(struct call_tree *tree)
{
	enum { FIRST = 1024, TIMES = 8 };
	uint32_t room = tree->room > CALL_NODE_MAX / TIMES ? CALL_NODE_MAX :
							     tree->room * TIMES;

	return call_tree_reserve(tree, room ? room : FIRST);
}

static uint32_t add_node(struct call_tree *tree, uint32_t parent,
			 uint32_t function, int32_t pid, bool is_interrupt)
{
	if (tree->count == CALL_NODE_MAX ||
	    (tree->count == tree->room && !grow_nodes(tree)))
		return CALL_NODE_NONE;
	tree->nodes[tree->count] = (struct call_node){
		.parent = parent,
		.function = function,
		.is_interrupt = is_interrupt,
	};
	tree->links[tree->count] = (struct call_links){
		.first_child = CALL_NODE_NONE,
		.next_sibling = CALL_NODE_NONE,
		.pid = pid,
	};
	return tree->count++;
}

static bool is_root_of(const struct call_links *links, int32_t pid,
		       uint32_t part)
{
	return links->pid == pid && links->part == part;
}

uint32_t call_tree_root(struct call_tree *tree, int32_t pid)
{
	return call_tree_part_root(tree, pid, 0);
}

uint32_t call_tree_part_root(struct call_tree *tree, int32_t pid, uint32_t part)
{
	uint32_t root = tree->first_root;

	while (root != CALL_NODE_NONE &&
	       !is_root_of(&tree->links[root], pid, part))
		root = call_tree_next_sibling(tree, root);
	if (root != CALL_NODE_NONE)
		return root;
	root = add_node(tree, CALL_NODE_NONE, FUNCTION_NONE, pid, false);
	if (root == CALL_NODE_NONE)
		return root;
	tree->links[root].part = part;
	tree->links[root].next_sibling = tree->first_root;
	tree->first_root = root;
	return root;
}

/* Node and function numbers stay far below 2^32 and 2^31. */
static uint64_t key_of(const struct call_node *node)
{
	return (uint64_t)node->parent << 32 | node->function << 1 |
	       node->is_interrupt;
}

/* Returns the slot of a child with the keys of @like, or the free slot for it.
 */
static uint32_t *slot_for(const struct call_tree *tree,
			  const struct call_node *like)
{
	uint64_t key = key_of(like);
	size_t mask = tree->slot_count - 1;
	size_t at = (key * 0x9e3779b97f4a7c15 >> 32) & mask;

	while (tree->slots[at] &&
	       key_of(call_tree_at(tree, tree->slots[at])) != key)
		at = (at + 1) & mask;
	return &tree->slots[at];
}

static bool grow_slots(struct call_tree *tree)
{
	size_t count = tree->slot_count ? tree->slot_count * 2 : 4096;
	uint32_t *slots = large_memory_zeroed(count * sizeof(*slots));

	if (!slots)
		return false;
	free(tree->slots);
	tree->slots = slots;
	tree->slot_count = count;
	for (uint32_t i = 0; i < tree->count; i++)
		if (call_tree_at(tree, i)->parent != CALL_NODE_NONE)
			*slot_for(tree, call_tree_at(tree, i)) = i;
	return true;
}

void call_tree_forget_slots(struct call_tree *tree)
{
	free(tree->slots);
	tree->slots = NULL;
	tree->slot_count = 0;
}

static uint32_t add_child(struct call_tree *tree, uint32_t parent,
			  uint32_t function, bool is_interrupt)
{
	uint32_t index = add_node(tree, parent, function,
				  call_tree_pid(tree, parent), is_interrupt);

	if (index == CALL_NODE_NONE)
		return index;
	tree->links[index].next_sibling = tree->links[parent].first_child;
	tree->links[parent].first_child = index;
	return index;
}

static void follow(struct call_tree *tree, struct call_node *parent,
		   uint32_t child)
{
	if (parent->recent_child)
		call_tree_at(tree, parent->recent_child)->next_asked = child;
	parent->recent_child = child;
	parent->expected_child = call_tree_at(tree, child)->next_asked;
}

/* Returns whether the most recently used child matches, which is the case for a
 * quarter of the unexpected children.
 */
static bool is_recent(const struct call_tree *tree,
		      const struct call_node *parent, uint32_t function,
		      bool is_interrupt)
{
	const struct call_node *recent =
		call_tree_at(tree, parent->recent_child);

	return parent->recent_child && recent->function == function &&
	       recent->is_interrupt == is_interrupt;
}

uint32_t call_tree_find_child(struct call_tree *tree, uint32_t parent,
			      uint32_t function, bool is_interrupt)
{
	const struct call_node like = {
		.parent = parent,
		.function = function,
		.is_interrupt = is_interrupt,
	};
	struct call_node *node = call_tree_at(tree, parent);
	uint32_t *slot;

	if (is_recent(tree, node, function, is_interrupt)) {
		follow(tree, node, node->recent_child);
		return node->recent_child;
	}
	if ((size_t)tree->count * 2 >= tree->slot_count && !grow_slots(tree))
		return CALL_NODE_NONE;
	slot = slot_for(tree, &like);
	if (!*slot) {
		uint32_t index =
			add_child(tree, parent, function, is_interrupt);

		if (index == CALL_NODE_NONE)
			return index;
		*slot = index;
	}
	follow(tree, call_tree_at(tree, parent), *slot);
	return *slot;
}

struct call_more *call_tree_more(struct call_tree *tree, uint32_t index)
{
	uint32_t *number = &tree->links[index].more;

	if (!*number) {
		*number = tree->more_count++;
		tree->more[*number] = (struct call_more){ 0 };
	}
	return &tree->more[*number];
}

/* Returns the counts of node @index that all later entries must use. */
static struct call_counts *counts_of(struct call_tree *tree, uint32_t index)
{
	struct call_node *node = call_tree_at(tree, index);
	struct call_counts *counts = &call_tree_more(tree, index)->calls;

	*counts = call_tree_calls(tree, index);
	node->direct = 0;
	node->tail = 0;
	return counts;
}

void call_tree_count_more(struct call_tree *tree, uint32_t index,
			  enum call_how how)
{
	call_counts_add(counts_of(tree, index), how);
}

/* Returns whether @calls fit into @node's own counters. */
static bool are_few(const struct call_node *node,
		    const struct call_counts *calls)
{
	return calls->direct <= (uint64_t)UINT16_MAX - node->direct &&
	       calls->tail <= (uint64_t)UINT8_MAX - node->tail &&
	       !calls->async && !calls->starts && !calls->inferred;
}

void call_tree_add_calls(struct call_tree *tree, uint32_t index,
			 const struct call_counts *calls, uint64_t inferred_ns)
{
	struct call_node *node = call_tree_at(tree, index);

	if (are_few(node, calls)) {
		node->direct = (uint16_t)(node->direct + calls->direct);
		node->tail = (uint8_t)(node->tail + calls->tail);
	} else {
		call_counts_join(counts_of(tree, index), calls);
	}
	if (inferred_ns)
		call_tree_more(tree, index)->inferred_ns += inferred_ns;
}
