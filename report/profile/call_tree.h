/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_TREE_H
#define KT_REPORT_CALL_TREE_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No node: the parent of the roots, the child of the leaves. */
#define CALL_NODE_NONE UINT32_MAX

/* How often a function was entered, by how. */
struct call_counts {
	uint64_t direct;	/* call instructions, system calls */
	uint64_t tail;		/* jumps to its start */
	uint64_t async;		/* interrupts and exceptions */
	uint64_t starts;	/* the trace starts with it */
	uint64_t inferred;	/* it was running before it was seen */
};

/* One function in one place: called by these callers in this order. */
struct call_node {
	uint32_t parent;
	uint32_t first_child;
	uint32_t next_sibling;
	uint32_t recent_child;	/* the one asked for last: often wanted again */
	uint32_t function;	/* of a root: FUNCTION_NONE */
	int32_t pid;		/* of a root: its process, -1 for all */
	bool is_break;		/* interrupt work: entered by a break-in, or by
				 * something that is */
	uint64_t self_ns;
	struct call_counts calls;
};

/* All call paths that occurred, one tree a process or one for all.  A parent
 * has a smaller number than its children.
 */
struct call_tree;

/* Returns NULL when out of memory. */
struct call_tree *call_tree_new(void);
void call_tree_free(struct call_tree *tree);

/* Returns the root for process @pid, making it if it is new; CALL_NODE_NONE
 * when out of memory.
 */
uint32_t call_tree_root(struct call_tree *tree, int32_t pid);

/* Returns node @parent's child for @function, making it if it is new;
 * CALL_NODE_NONE when out of memory.
 */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent,
			 uint32_t function, bool is_break);

/* Returns node @index; it stays in place only until one is added. */
struct call_node *call_tree_at(const struct call_tree *tree, uint32_t index);
uint32_t call_tree_count(const struct call_tree *tree);

/* Returns the first root; the others are its next_sibling. */
uint32_t call_tree_first_root(const struct call_tree *tree);

/* Returns for each node whether it or one below it was called or ran, to be
 * freed; NULL when out of memory.  Others were only open at the time.
 */
bool *call_tree_used(const struct call_tree *tree);

/* Returns an array, by node, of the time in it and all below.
 *
 * Owner: the caller, to be freed.  NULL when out of memory.
 */
uint64_t *call_tree_totals(const struct call_tree *tree);

/* Adds one entry by @how to @counts. */
void call_counts_add(struct call_counts *counts, enum call_how how);

/* Adds @more to @counts. */
void call_counts_join(struct call_counts *counts,
		      const struct call_counts *more);

/* Returns how often it was called: all but starts and inferred ones. */
uint64_t call_counts_calls(const struct call_counts *counts);

#endif
