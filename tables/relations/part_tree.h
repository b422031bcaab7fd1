/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PART_TREE_H
#define KT_TABLES_PART_TREE_H

#include "report/profile/call_parts.h"

#include <stdint.h>

struct call_tree;

/* The parts of calls as a tree: each function with all that it called. */
struct part_tree;

/* One line of it. */
struct part_line {
	uint32_t node;
	uint32_t depth; /* 0: the function that was called */
	double calls;
	double self_ns;	   /* on a CPU in the function itself */
	double on_cpu_ns;  /* with what it called */
	double off_cpu_ns; /* likewise */
};

/* Adds up @parts, each divided by @calls, over the paths of @tree, both
 * borrowed.  Returns NULL when out of memory.
 */
struct part_tree *part_tree_new(const struct call_tree *tree,
				const struct call_parts *parts, uint64_t calls);
void part_tree_free(struct part_tree *tree);

/* Returns what @node and all below took. */
struct part_line part_tree_line(const struct part_tree *tree, uint32_t node);

/* Takes part_line.node and depth of each line. */
typedef int part_visit(void *ctx, uint32_t node, uint32_t depth);

/* Returns how much a node matters; less than the least that is wanted: it is
 * left out with all below.
 */
typedef double part_weight(const void *ctx, uint32_t node);

/* Visits the nodes of @tree below its root that matter, callers before
 * callees, of siblings the one that matters most first.
 *
 * Returns 0, or what @visit or a lack of memory returned, a negative enum
 * error.
 */
int part_tree_walk(const struct call_tree *tree, part_weight *weight,
		   double least, part_visit *visit, void *ctx);

#endif
