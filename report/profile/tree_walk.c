/* SPDX-License-Identifier: MIT */
#include "report/profile/tree_walk.h"

struct tree_walk tree_walk_of(const struct call_tree *tree)
{
	return (struct tree_walk){ .tree = tree, .node = CALL_NODE_NONE };
}

int tree_walk_next(struct tree_walk *walk)
{
	const struct call_node *node;
	uint32_t next;

	if (walk->node == CALL_NODE_NONE) {
		walk->node = call_tree_first_root(walk->tree);
		return walk->node != CALL_NODE_NONE;
	}
	node = call_tree_at(walk->tree, walk->node);
	if (!walk->leaving && node->first_child == CALL_NODE_NONE) {
		walk->leaving = true;
		return 1;
	}
	next = walk->leaving ? node->next_sibling : node->first_child;
	walk->leaving = next == CALL_NODE_NONE;
	walk->node = walk->leaving ? node->parent : next;
	return walk->node != CALL_NODE_NONE;
}
