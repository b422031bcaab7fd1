/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"

#include <stdlib.h>

/* Copies node @index below @parent. Returns the copy, or CALL_NODE_NONE when
 * out of memory.
 */
static uint32_t copy_node(struct call_tree *part, const struct call_tree *tree,
			  uint32_t index, uint32_t parent)
{
	const struct call_node *from = call_tree_at(tree, index);
	uint32_t copy = parent == CALL_NODE_NONE ?
				call_tree_root(part, -1) :
				call_tree_find_child(part, parent,
						     from->function,
						     from->is_interrupt);
	struct call_counts calls;
	struct call_node *to;

	if (copy == CALL_NODE_NONE)
		return copy;
	to = call_tree_at(part, copy);
	to->self_ns = from->self_ns;
	calls = call_tree_calls(tree, index);
	call_tree_add_calls(part, copy, &calls,
			    call_tree_inferred_ns(tree, index));
	return copy;
}

struct call_tree *call_tree_part(const struct call_tree *tree, uint32_t root)
{
	uint32_t count = call_tree_count(tree);
	uint32_t *copies = calloc((size_t)count + 1, sizeof(*copies));
	struct call_tree *part = copies ? call_tree_new() : NULL;
	bool is_whole = part;

	for (uint32_t i = 0; is_whole && i < count; i++) {
		uint32_t parent = call_tree_at(tree, i)->parent;

		copies[i] = CALL_NODE_NONE;
		if (i == root)
			parent = CALL_NODE_NONE;
		else if (parent == CALL_NODE_NONE ||
			 copies[parent] == CALL_NODE_NONE)
			continue;
		else
			parent = copies[parent];
		copies[i] = copy_node(part, tree, i, parent);
		is_whole = copies[i] != CALL_NODE_NONE;
	}
	free(copies);
	if (is_whole)
		return part;
	call_tree_free(part);
	return NULL;
}
