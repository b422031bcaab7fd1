/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_TREE_H
#define KT_REPORT_CALL_TREE_H

#include "report/profile/call_counts.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No node: the parent of the roots, the child of the leaves. */
#define CALL_NODE_NONE UINT32_MAX
#define CALL_NODE_MAX INT32_MAX

/* One function in one place: called by these callers in this order.  Code calls
 * in the same order again and again: each node knows which sibling was asked for
 * after it last time, and the parent knows of the one that is next, so that
 * going there reads no other node.  0 is none: node 0 is a root.
 */
struct call_node {
	uint32_t parent;
	uint32_t function;	 /* of a root: FUNCTION_NONE */
	uint32_t next_asked;	 /* the sibling asked for after it last time */
	uint32_t recent_child;	 /* the one asked for last */
	uint32_t expected_child; /* next_asked of that */
	uint16_t direct;	 /* entries without those of call_more */
	uint8_t tail;
	bool is_interrupt; /* interrupt work: entered by an exception, or by
				 * something that is */
	uint64_t self_ns;
};

_Static_assert(sizeof(struct call_node) == 32, "two nodes share a cache line");

/* Where a node hangs, for walks, which come once at the end. */
struct call_links {
	uint32_t first_child;
	uint32_t next_sibling;
	int32_t pid;   /* its tree's process or group, -1 for all */
	uint32_t part; /* of a root: its tasks' enum profile_part */
	uint32_t more; /* its struct call_more, 0: none */
};

/* What few nodes have. */
struct call_more {
	uint64_t inferred_ns;	  /* of self_ns: whose it is is inferred */
	struct call_counts calls; /* without the node's own */
};

/* All call paths that occurred, one tree a process or one for all.  A parent
 * has a smaller number than its children.
 *
 * Open, so that what is done for each call needs no call of its own.
 */
struct call_tree {
	struct call_node *nodes;
	struct call_links *links; /* by node */
	struct call_more *more;	  /* room for all; the first is of none */
	uint32_t count;
	uint32_t more_count;
	uint32_t room;
	uint32_t first_root;
	uint32_t *slots;   /* nodes by parent and function, open
				 * addressing; 0: free, as roots are not here */
	size_t slot_count; /* a power of two; at most half are used */
};

/* Returns NULL when out of memory. */
struct call_tree *call_tree_new(void);
void call_tree_free(struct call_tree *tree);

/* Makes room for @count nodes in all.  Returns false when out of memory. */
bool call_tree_reserve(struct call_tree *tree, uint32_t count);

/* Returns the root for process, or group, @pid, making it if it is new; CALL_NODE_NONE
 * when out of memory.
 */
uint32_t call_tree_root(struct call_tree *tree, int32_t pid);

/* The same for one part of the tasks: see profile_scope.h. */
uint32_t call_tree_part_root(struct call_tree *tree, int32_t pid,
			     uint32_t part);

/* Returns node @index; it stays in place only until one is added. */
static inline struct call_node *call_tree_at(const struct call_tree *tree,
					     uint32_t index)
{
	return tree->nodes + index;
}

static inline uint32_t call_tree_count(const struct call_tree *tree)
{
	return tree->count;
}

/* The same as call_tree_child(), for a child that is not the one expected. */
uint32_t call_tree_find_child(struct call_tree *tree, uint32_t parent,
			      uint32_t function, bool is_interrupt);

/* Returns the number of @node. */
static inline uint32_t call_tree_index(const struct call_tree *tree,
				       const struct call_node *node)
{
	return (uint32_t)(node - tree->nodes);
}

/* As call_tree_child(), by the nodes: @parent stays in place if the child is not
 * new.  Returns NULL when out of memory.
 */
static inline struct call_node *call_node_child(struct call_tree *tree,
						struct call_node *parent,
						uint32_t function,
						bool is_interrupt)
{
	struct call_node *node = call_tree_at(tree, parent->expected_child);
	uint32_t found;

	if (node->function != function || node->is_interrupt != is_interrupt) {
		found = call_tree_find_child(tree,
					     call_tree_index(tree, parent),
					     function, is_interrupt);
		return found == CALL_NODE_NONE ? NULL :
						 call_tree_at(tree, found);
	}
	parent->recent_child = parent->expected_child;
	parent->expected_child = node->next_asked;
	return node;
}

/* The same of a function that is entered @how: what interrupt work calls is part of
 * it.
 */
static inline struct call_node *call_node_enter(struct call_tree *tree,
						struct call_node *parent,
						uint32_t function,
						enum call_how how)
{
	return call_node_child(tree, parent, function,
			       how == HOW_EXCEPTION || parent->is_interrupt);
}

/* Returns node @parent's child for @function, making it if it is new;
 * CALL_NODE_NONE when out of memory.
 */
static inline uint32_t call_tree_child(struct call_tree *tree, uint32_t parent,
				       uint32_t function, bool is_interrupt)
{
	const struct call_node *node = call_node_child(
		tree, call_tree_at(tree, parent), function, is_interrupt);

	return node ? call_tree_index(tree, node) : CALL_NODE_NONE;
}

/* The same as call_node_enter(), by numbers. */
static inline uint32_t call_tree_enter(struct call_tree *tree, uint32_t parent,
				       uint32_t function, enum call_how how)
{
	const struct call_node *node = call_node_enter(
		tree, call_tree_at(tree, parent), function, how);

	return node ? call_tree_index(tree, node) : CALL_NODE_NONE;
}

/* Returns the process that the tree of @node is of, -1 if of all. */
int32_t call_tree_pid(const struct call_tree *tree, uint32_t node);

/* Returns the first root, or CALL_NODE_NONE; the others are its siblings. */
uint32_t call_tree_first_root(const struct call_tree *tree);

/* Returns the child of @node that was made last, or CALL_NODE_NONE. */
uint32_t call_tree_first_child(const struct call_tree *tree, uint32_t node);

/* Returns the sibling of @node made before it, or CALL_NODE_NONE. */
uint32_t call_tree_next_sibling(const struct call_tree *tree, uint32_t node);

/* Keeps only the nodes that call_tree_used() names, in the order of processes and
 * functions, whatever came first: it does not tell what was before a window.  Nodes get other
 * numbers.  Returns false when out of memory, the tree being as it was.
 */
bool call_tree_sort(struct call_tree *tree);

/* Returns the tree of @root alone, with one root that is of all.  Owner: the
 * caller.  NULL when out of memory.
 */
struct call_tree *call_tree_part(const struct call_tree *tree, uint32_t root);

/* Gives back what finding children takes; it is made anew for the next one that
 * is asked for.
 */
void call_tree_forget_slots(struct call_tree *tree);

/* Returns what node @index has besides, all 0 if it is new; it stays in place only
 * until a node is added.
 */
struct call_more *call_tree_more(struct call_tree *tree, uint32_t index);

/* Counts an entry of node @index by @how there, with those that the node itself
 * counts.
 */
void call_tree_count_more(struct call_tree *tree, uint32_t index,
			  enum call_how how);

/* Adds @calls to those of node @index, and @inferred_ns to what is inferred. */
void call_tree_add_calls(struct call_tree *tree, uint32_t index,
			 const struct call_counts *calls, uint64_t inferred_ns);

/* Returns how much of the time in node @index it is inferred of whose it is. */
static inline uint64_t call_tree_inferred_ns(const struct call_tree *tree,
					     uint32_t index)
{
	return tree->more[tree->links[index].more].inferred_ns;
}

/* Counts an entry of @node by @how. */
static inline void call_node_count_entry(struct call_tree *tree,
					 struct call_node *node,
					 enum call_how how)
{
	if (how == HOW_CALL && node->direct < UINT16_MAX)
		node->direct++;
	else if (how == HOW_TAIL && node->tail < UINT8_MAX)
		node->tail++;
	else
		call_tree_count_more(tree, call_tree_index(tree, node), how);
}

static inline void call_tree_count_entry(struct call_tree *tree, uint32_t index,
					 enum call_how how)
{
	call_node_count_entry(tree, call_tree_at(tree, index), how);
}

/* Returns how often node @index was entered. */
static inline struct call_counts call_tree_calls(const struct call_tree *tree,
						 uint32_t index)
{
	struct call_counts calls = tree->more[tree->links[index].more].calls;

	calls.direct += call_tree_at(tree, index)->direct;
	calls.tail += call_tree_at(tree, index)->tail;
	return calls;
}

#endif
