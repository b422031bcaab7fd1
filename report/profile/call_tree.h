/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_CALL_TREE_H
#define KT_REPORT_PROFILE_CALL_TREE_H

/* All call paths that occurred, as a tree with the time and the calls of each.
 * It sums up the call events of a recording; profiles, flame graphs and the
 * stacks of sleeps are made from it.
 *
 * While events are added, the number of a node never changes. Entering a child
 * costs no lookup if this child also came after the parent's previous child the
 * last time (expected_child). At the end, call_tree_sort() makes the order
 * independent of the execution.
 *
 * Invariants:
 * 1. A parent has a smaller number than its children. Number 0 is a root, so 0
 *    stands for "none" where only children can be.
 * 2. A node has at most one child for each function and enum call_interrupt,
 *    until profile_scope_hide() hides nodes.
 * 3. Pointers to nodes and their struct call_more are valid until a node is
 *    added; numbers are valid until call_tree_sort().
 * 4. A node's calls are its own counters plus those of its struct call_more, to
 *    which they are moved when they overflow.
 *
 * Memory: one node per distinct call path. Errors: NULL, false or
 * CALL_NODE_NONE when out of memory.
 */

#include "common/array.h"
#include "common/maps.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of entries of a function, by kind. */
struct call_counts {
	uint64_t direct;   /* call instructions, system calls */
	uint64_t tail;	   /* jumps to the function's start */
	uint64_t async;	   /* interrupts and exceptions */
	uint64_t starts;   /* the trace starts in it */
	uint64_t inferred; /* it was already running when first seen */
};

/* Adds @more to @counts. */
void call_counts_join(struct call_counts *counts,
		      const struct call_counts *more);

/* Returns the number of calls: all entries except starts and inferred ones. */
uint64_t call_counts_calls(const struct call_counts *counts);

/* No node: the parent of roots, the child of leaves. */
#define CALL_NODE_NONE UINT32_MAX

enum call_interrupt {
	CALL_NO_INTERRUPT,
	/* entered by an exception, or called by a function that has
	 * CALL_INTERRUPT or CALL_INTERRUPT_END
	 */
	CALL_INTERRUPT,
	/* function that an interrupt's entry jumps to at its end, to return */
	CALL_INTERRUPT_END,
};

/* A function in one calling context. Code makes calls in the same order again
 * and again. Therefore each node stores the sibling that was used after it last
 * time, and the parent has a copy of what its current child stores, so that
 * only the parent and the expected child are read to enter the latter. 0 means
 * none, because node 0 is a root.
 */
struct call_node {
	uint32_t parent;
	uint32_t function;	 /* FUNCTION_NONE if it is a root */
	uint32_t next_used;	 /* the sibling used after it last time */
	uint32_t recent_child;	 /* the child entered last */
	uint32_t expected_child; /* next_used of recent_child */
	/* entries, in addition to those in call_more */
	uint16_t direct;
	uint8_t tail;
	uint8_t interrupt; /* enum call_interrupt */
	uint64_t self_ns;
};

/* The links of a node, used only by walks at the end. */
struct call_links {
	uint32_t first_child;
	uint32_t next_sibling;
	int32_t pid;   /* process or group of its tree; -1: one tree for all */
	uint32_t part; /* of a root: enum profile_part of its tasks */
	uint32_t more; /* index of its struct call_more; 0: none */
};

/* Data that few nodes have. */
struct call_more {
	/* part of the node's self_ns whose process is inferred */
	uint64_t inferred_ns;
	struct call_counts calls; /* in addition to the node's own counters */
};

/* The nodes, in arrays by node number. There may be a root for each process or
 * group and enum profile_part, or one for all.
 *
 * The struct is public so that the work of each call can be inlined.
 */
struct call_tree {
	struct call_node *nodes;
	struct call_links *links; /* by node */
	struct call_more *more;	  /* capacity is reserved; entry 0 is unused */
	uint32_t count;
	uint32_t more_count;
	uint32_t room;
	uint32_t first_root;
	/* number of each root, plus 1, by pid and part; empty: not known */
	struct number_map roots;
	/* hash table of nodes by parent, function and interrupt, open
	 * addressing; 0 marks a free slot, because roots are not in the table
	 */
	uint32_t *slots;
	/* a power of two; at most half of the slots are used */
	size_t slot_count;
};

/* Returns NULL when out of memory. */
struct call_tree *call_tree_new(void);
void call_tree_free(struct call_tree *tree);

/* Makes room for @count nodes, including the present ones. Returns false when
 * out of memory.
 */
bool call_tree_reserve(struct call_tree *tree, uint32_t count);

/* Returns the root of process or group @pid, creating it if necessary;
 * CALL_NODE_NONE when out of memory.
 */
uint32_t call_tree_root(struct call_tree *tree, int32_t pid);

/* Like call_tree_root(), but the root is of the tasks of @part (enum
 * profile_part) only.
 */
uint32_t call_tree_part_root(struct call_tree *tree, int32_t pid,
			     uint32_t part);

/* Returns node @index, which is valid until a node is added. */
static inline struct call_node *call_tree_at(const struct call_tree *tree,
					     uint32_t index)
{
	return tree->nodes + index;
}

static inline uint32_t call_tree_count(const struct call_tree *tree)
{
	return tree->count;
}

/* Slow path of call_tree_child(), for an unexpected child. */
uint32_t call_tree_find_child(struct call_tree *tree, uint32_t parent,
			      uint32_t function, uint8_t interrupt);

/* Returns the number of @node. */
static inline uint32_t call_tree_index(const struct call_tree *tree,
				       const struct call_node *node)
{
	return (uint32_t)(node - tree->nodes);
}

/* Like call_tree_child(), with pointers. @parent stays valid unless the child
 * is new. Returns NULL when out of memory.
 */
static inline struct call_node *call_node_child(struct call_tree *tree,
						struct call_node *parent,
						uint32_t function,
						uint8_t interrupt)
{
	struct call_node *node = call_tree_at(tree, parent->expected_child);
	uint32_t found;

	if (node->function != function || node->interrupt != interrupt) {
		found = call_tree_find_child(tree,
					     call_tree_index(tree, parent),
					     function, interrupt);
		return found == CALL_NODE_NONE ? NULL :
						 call_tree_at(tree, found);
	}
	parent->recent_child = parent->expected_child;
	parent->expected_child = node->next_used;
	return node;
}

/* Like call_node_child(), for a function entered @how. Callees of interrupt
 * work, and of its end, are CALL_INTERRUPT too.
 */
static inline struct call_node *call_node_enter(struct call_tree *tree,
						struct call_node *parent,
						uint32_t function,
						enum call_how how)
{
	return call_node_child(tree, parent, function,
			       how == HOW_EXCEPTION || parent->interrupt);
}

/* Returns the child of node @parent for @function, creating it if necessary;
 * CALL_NODE_NONE when out of memory.
 */
static inline uint32_t call_tree_child(struct call_tree *tree, uint32_t parent,
				       uint32_t function, uint8_t interrupt)
{
	const struct call_node *node = call_node_child(
		tree, call_tree_at(tree, parent), function, interrupt);

	return node ? call_tree_index(tree, node) : CALL_NODE_NONE;
}

/* Like call_node_enter(), with node numbers. */
static inline uint32_t call_tree_enter(struct call_tree *tree, uint32_t parent,
				       uint32_t function, enum call_how how)
{
	const struct call_node *node = call_node_enter(
		tree, call_tree_at(tree, parent), function, how);

	return node ? call_tree_index(tree, node) : CALL_NODE_NONE;
}

/* Returns the process or group of @node's tree; -1 if there is one tree for
 * all.
 */
int32_t call_tree_pid(const struct call_tree *tree, uint32_t node);

/* Returns the first root, or CALL_NODE_NONE; the others are its siblings. */
uint32_t call_tree_first_root(const struct call_tree *tree);

/* Returns the last created child of @node, or CALL_NODE_NONE. */
uint32_t call_tree_first_child(const struct call_tree *tree, uint32_t node);

/* Returns the sibling of @node that was created before it, or CALL_NODE_NONE.
 */
uint32_t call_tree_next_sibling(const struct call_tree *tree, uint32_t node);

/* Removes the nodes that have no entries and no time and whose descendants have
 * none either. Sorts the others by process and function, so that their order
 * does not depend on what ran before a window. Renumbers nodes. Returns false
 * when out of memory, with the tree unchanged.
 */
bool call_tree_sort(struct call_tree *tree);

/* Returns a copy of node @root, which must be a root, and of all nodes below
 * it. The copy's root has process -1 (all). Returns NULL when out of memory.
 * The caller owns it.
 */
struct call_tree *call_tree_part(const struct call_tree *tree, uint32_t root);

/* Frees the hash table; the next lookup of a child creates it again. */
void call_tree_forget_slots(struct call_tree *tree);

/* Returns the additional data of node @index, zeroed if it is new. It is valid
 * until a node is added.
 */
struct call_more *call_tree_more(struct call_tree *tree, uint32_t index);

/* Adds @calls to the entries of node @index, and @inferred_ns to its inferred
 * time.
 */
void call_tree_add_calls(struct call_tree *tree, uint32_t index,
			 const struct call_counts *calls, uint64_t inferred_ns);

/* Returns the part of node @index's time that has an inferred process. */
static inline uint64_t call_tree_inferred_ns(const struct call_tree *tree,
					     uint32_t index)
{
	return tree->more[tree->links[index].more].inferred_ns;
}

/* Moves the entry counts of node @index to its struct call_more and counts an
 * entry @how there.
 */
void call_tree_count_more(struct call_tree *tree, uint32_t index,
			  enum call_how how);

/* Counts an entry of @node, made @how. */
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

/* Returns the entries of node @index. */
static inline struct call_counts call_tree_calls(const struct call_tree *tree,
						 uint32_t index)
{
	struct call_counts calls = tree->more[tree->links[index].more].calls;

	calls.direct += call_tree_at(tree, index)->direct;
	calls.tail += call_tree_at(tree, index)->tail;
	return calls;
}

/* A depth-first walk over a call tree, without recursion: it enters each node,
 * then walks through its children, then leaves it.
 */
struct tree_walk {
	const struct call_tree *tree;
	uint32_t node;
	bool leaving;
};

struct tree_walk tree_walk_of(const struct call_tree *tree);

/* Returns 1 with walk->node and walk->leaving set, 0 at the end. */
int tree_walk_next(struct tree_walk *walk);

/* The time spent on one call path below a function F, in one call of F or
 * summed over several.
 */
struct call_part {
	uint32_t node; /* of a call tree: the path ends there */
	uint64_t calls;
	uint64_t on_cpu_ns;  /* self time of the path's innermost function */
	uint64_t off_cpu_ns; /* time off the CPU in it */
};

/* The parts of one call, or of several added up. Each path is in it once. */
struct call_parts {
	struct array list; /* struct call_part, in no order */
	/* uint32_t by node: index into list; valid only if the part at that
	 * index has this node
	 */
	struct array places;
};

#define CALL_PARTS_EMPTY \
	((struct call_parts){ \
		.list = ARRAY_OF(struct call_part), \
		.places = ARRAY_OF(uint32_t), \
	})

void call_parts_free(struct call_parts *parts);

/* Removes all parts in constant time. */
void call_parts_clear(struct call_parts *parts);

/* Returns the part for @node, creating it if necessary; NULL when out of
 * memory. It is valid until the next part is created.
 */
struct call_part *call_parts_at(struct call_parts *parts, uint32_t node);

/* Adds @more to @parts.  Returns 0 or -ERROR_MEMORY. */
int call_parts_join(struct call_parts *parts, const struct call_parts *more);

/* Returns an array, by node, of the time in the node and all its descendants;
 * NULL when out of memory. The caller frees it.
 */
uint64_t *call_tree_totals(const struct call_tree *tree);

/* The time and calls of one function, in one process or in all. */
struct function_row {
	uint32_t function;
	int32_t pid; /* or group; -1 for all */
	struct call_counts calls;
	uint64_t self_ns;
	uint64_t inferred_ns; /* part of self_ns whose process is inferred */
	/* with its callees; time in recursive calls counts once */
	uint64_t total_ns;
};

/* A flat profile: one row per function, in each tree if there are several. */
struct function_profile {
	struct function_row *rows;
	size_t row_count;
	/* by node of the tree; UINT32_MAX: none, for roots and nodes that
	 * call_tree_sort() would remove
	 */
	uint32_t *row_of_node;
	uint64_t self_ns; /* sum over all rows */
};

/* Adds up the nodes of @tree by function. @function_count is the number of
 * functions.
 *
 * Returns 0 and @profile, which the caller frees with function_profile_free(),
 * or -ERROR_MEMORY.
 */
int function_profile_make(const struct call_tree *tree, uint32_t function_count,
			  struct function_profile *profile);

void function_profile_free(struct function_profile *profile);

/* Returns row numbers by falling self time, then calls, then function; NULL
 * when out of memory. The caller frees them.
 */
uint32_t *function_profile_by_self(const struct function_profile *profile);

/* Like function_profile_by_self(), by falling total time. */
uint32_t *function_profile_by_total(const struct function_profile *profile);

#endif
