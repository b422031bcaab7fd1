/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TREE_WALK_H
#define KT_REPORT_TREE_WALK_H

#include "report/profile/call_tree.h"

/* A depth-first walk over a call tree without recursion: each node is entered,
 * then its children, then it is left.
 */
struct tree_walk {
	const struct call_tree *tree;
	uint32_t node;
	bool leaving;
};

struct tree_walk tree_walk_of(const struct call_tree *tree);

/* Returns 1 with walk->node and walk->leaving set, 0 at the end. */
int tree_walk_next(struct tree_walk *walk);

#endif
