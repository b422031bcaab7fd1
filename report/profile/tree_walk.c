/* SPDX-License-Identifier: MIT */
#include "report/profile/tree_walk.h"

struct tree_walk tree_walk_of(const struct call_tree *tree)
{
	return (struct tree_walk){ .tree = tree, .node = CALL_NODE_NONE };
}

int tree_walk_next(struct tree_walk *walk)
{
	uint32_t next;

	if (walk->node == CALL_NODE_NONE) {
		walk->node = call_tree_first_root(walk->tree);
		return walk->node != CALL_NODE_NONE;
	}
	next = walk->leaving ? call_tree_next_sibling(walk->tree, walk->node) :
			       call_tree_first_child(walk->tree, walk->node);
	if (!walk->leaving && next == CALL_NODE_NONE) {
		walk->leaving = true;
		return 1;
	}
	walk->leaving = next == CALL_NODE_NONE;
	walk->node = walk->leaving ?
			     call_tree_at(walk->tree, walk->node)->parent :
			     next;
	return walk->node != CALL_NODE_NONE;
}
