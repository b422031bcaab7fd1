/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PART_TREE_H
#define KT_TABLES_PART_TREE_H

#include "report/profile/call_tree.h"

#include <stdint.h>

/* The parts of calls as a tree: each function with its callees. */
struct part_tree;

/* One line of the tree. */
struct part_line {
	uint32_t node;
	uint32_t depth; /* 0: the studied function */
	double calls;
	double self_ns;	   /* on a CPU in the function itself */
	double on_cpu_ns;  /* with callees */
	double off_cpu_ns; /* with callees */
};

/* Sums up @parts, each divided by @calls, over the paths of @tree, both
 * borrowed. Returns NULL when out of memory.
 */
struct part_tree *part_tree_new(const struct call_tree *tree,
				const struct call_parts *parts, uint64_t calls);
void part_tree_free(struct part_tree *tree);

/* Returns the times of @node and all nodes below. */
struct part_line part_tree_line(const struct part_tree *tree, uint32_t node);

/* Called with the node and depth of each line. */
typedef int part_visit(void *ctx, uint32_t node, uint32_t depth);

/* Returns the weight of a node; nodes below the minimum weight are left out
 * with their subtree.
 */
typedef double part_weight(const void *ctx, uint32_t node);

/* Visits the nodes of @tree below its root whose @weight is at least @least,
 * callers before callees, siblings by falling weight.
 *
 * Returns 0, a negative value that @visit returned, or -ERROR_MEMORY.
 */
int part_tree_walk(const struct call_tree *tree, part_weight *weight,
		   double least, part_visit *visit, void *ctx);

#endif
