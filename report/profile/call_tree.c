/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"

#include "common/array.h"
#include "symbolize/function_table.h"

#include <stdlib.h>

/* The key lies here, too: a look-up misses the cache once, not twice. */
struct child_slot {
	uint64_t key;
	uint32_t node;		/* CALL_NODE_NONE: free */
};

struct call_tree {
	struct array nodes;	/* struct call_node */
	uint32_t first_root;
	struct child_slot *slots; /* open addressing by key */
	size_t slot_count;	/* a power of two; at most half are used */
};

struct call_tree *call_tree_new(void)
{
	struct call_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->nodes = ARRAY_OF(struct call_node);
	tree->first_root = CALL_NODE_NONE;
	return tree;
}

void call_tree_free(struct call_tree *tree)
{
	if (!tree)
		return;
	array_free(&tree->nodes);
	free(tree->slots);
	free(tree);
}

struct call_node *call_tree_at(const struct call_tree *tree, uint32_t index)
{
	return (struct call_node *)tree->nodes.items + index;
}

uint32_t call_tree_count(const struct call_tree *tree)
{
	return (uint32_t)tree->nodes.count;
}

uint32_t call_tree_first_root(const struct call_tree *tree)
{
	return tree->first_root;
}

static uint32_t add_node(struct call_tree *tree, uint32_t parent,
			 uint32_t function, int32_t pid)
{
	struct call_node *node = array_add(&tree->nodes);

	if (!node)
		return CALL_NODE_NONE;
	node->parent = parent;
	node->function = function;
	node->pid = pid;
	node->first_child = CALL_NODE_NONE;
	node->next_sibling = CALL_NODE_NONE;
	node->recent_child = CALL_NODE_NONE;
	return (uint32_t)tree->nodes.count - 1;
}

uint32_t call_tree_root(struct call_tree *tree, int32_t pid)
{
	uint32_t root = tree->first_root;

	while (root != CALL_NODE_NONE && call_tree_at(tree, root)->pid != pid)
		root = call_tree_at(tree, root)->next_sibling;
	if (root != CALL_NODE_NONE)
		return root;
	root = add_node(tree, CALL_NODE_NONE, FUNCTION_NONE, pid);
	if (root == CALL_NODE_NONE)
		return root;
	call_tree_at(tree, root)->next_sibling = tree->first_root;
	tree->first_root = root;
	return root;
}

/* Node and function numbers stay far below 2^32 and 2^31. */
static uint64_t key_of(uint32_t parent, uint32_t function, bool is_break)
{
	return (uint64_t)parent << 32 | function << 1 | is_break;
}

/* Returns the slot of the child, or the free one for it. */
static struct child_slot *slot_for(const struct call_tree *tree, uint64_t key)
{
	size_t mask = tree->slot_count - 1;
	size_t at = (key * 0x9e3779b97f4a7c15 >> 24) & mask;

	while (tree->slots[at].node != CALL_NODE_NONE &&
	       tree->slots[at].key != key)
		at = (at + 1) & mask;
	return &tree->slots[at];
}

static bool grow_slots(struct call_tree *tree)
{
	struct child_slot *old = tree->slots;
	size_t old_count = tree->slot_count;
	size_t count = old_count ? old_count * 2 : 4096;
	struct child_slot *slots = malloc(count * sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < count; i++)
		slots[i].node = CALL_NODE_NONE;
	tree->slots = slots;
	tree->slot_count = count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].node != CALL_NODE_NONE)
			*slot_for(tree, old[i].key) = old[i];
	free(old);
	return true;
}

static bool is_child(const struct call_tree *tree, uint32_t index,
		     uint32_t function, bool is_break)
{
	const struct call_node *node;

	if (index == CALL_NODE_NONE)
		return false;
	node = call_tree_at(tree, index);
	return node->function == function && node->is_break == is_break;
}

/* Returns node @parent's child, looking in the table or adding it. */
static uint32_t find_child(struct call_tree *tree, uint32_t parent,
			   uint32_t function, bool is_break)
{
	uint64_t key = key_of(parent, function, is_break);
	struct call_node *node;
	struct child_slot *slot;
	uint32_t index;

	if (tree->nodes.count * 2 >= tree->slot_count && !grow_slots(tree))
		return CALL_NODE_NONE;
	slot = slot_for(tree, key);
	if (slot->node != CALL_NODE_NONE)
		return slot->node;
	index = add_node(tree, parent, function,
			 call_tree_at(tree, parent)->pid);
	if (index == CALL_NODE_NONE)
		return index;
	*slot = (struct child_slot){ .key = key, .node = index };
	node = call_tree_at(tree, index);
	node->is_break = is_break;
	node->next_sibling = call_tree_at(tree, parent)->first_child;
	call_tree_at(tree, parent)->first_child = index;
	return index;
}

uint32_t call_tree_child(struct call_tree *tree, uint32_t parent,
			 uint32_t function, bool is_break)
{
	uint32_t recent = call_tree_at(tree, parent)->recent_child;
	uint32_t index;

	if (is_child(tree, recent, function, is_break))
		return recent;
	index = find_child(tree, parent, function, is_break);
	call_tree_at(tree, parent)->recent_child = index;
	return index;
}

uint64_t *call_tree_totals(const struct call_tree *tree)
{
	uint64_t *totals = calloc(tree->nodes.count + 1, sizeof(*totals));

	if (!totals)
		return NULL;
	/* Children come after their parents. */
	for (uint32_t i = (uint32_t)tree->nodes.count; i-- > 0;) {
		const struct call_node *node = call_tree_at(tree, i);

		totals[i] += node->self_ns;
		if (node->parent != CALL_NODE_NONE)
			totals[node->parent] += totals[i];
	}
	return totals;
}

static bool is_used(const struct call_node *node)
{
	const struct call_counts *calls = &node->calls;

	return node->self_ns || calls->starts || calls->inferred ||
	       call_counts_calls(calls);
}

bool *call_tree_used(const struct call_tree *tree)
{
	bool *used = calloc(tree->nodes.count + 1, sizeof(*used));

	if (!used)
		return NULL;
	/* Children come after their parents. */
	for (uint32_t i = (uint32_t)tree->nodes.count; i-- > 0;) {
		const struct call_node *node = call_tree_at(tree, i);

		used[i] |= is_used(node);
		if (node->parent != CALL_NODE_NONE)
			used[node->parent] |= used[i];
	}
	return used;
}

void call_counts_add(struct call_counts *counts, enum call_how how)
{
	switch (how) {
	case HOW_CALL:
	case HOW_SYSTEM_CALL:
		counts->direct++;
		break;
	case HOW_TAIL:
		counts->tail++;
		break;
	case HOW_BREAK:
		counts->async++;
		break;
	case HOW_START:
		counts->starts++;
		break;
	case HOW_INFERRED:
		counts->inferred++;
		break;
	}
}

void call_counts_join(struct call_counts *counts,
		      const struct call_counts *more)
{
	counts->direct += more->direct;
	counts->tail += more->tail;
	counts->async += more->async;
	counts->starts += more->starts;
	counts->inferred += more->inferred;
}

uint64_t call_counts_calls(const struct call_counts *counts)
{
	return counts->direct + counts->tail + counts->async;
}
