/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_CURSOR_H
#define KT_REPORT_PROFILE_CURSOR_H

#include "report/profile/call_tree.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

/* The position of a running task in a profile's tree. A loop over many events
 * uses its own copy, which the compiler can keep in registers.
 */
struct profile_cursor {
	struct call_tree *tree;
	uint64_t clock_ns; /* the task's time up to here is in the tree */
	/* nodes move only when one is added, which happens only here */
	struct call_node *node;
	bool has_cpu; /* the task's CPU counts */
};

/* Adds the time up to @clock_ns to the current node. */
static inline void profile_cursor_pass(struct profile_cursor *cursor,
				       uint64_t clock_ns)
{
	if (cursor->has_cpu)
		cursor->node->self_ns += clock_ns - cursor->clock_ns;
	cursor->clock_ns = clock_ns;
}

/* Counts an entry of @node if it is in the window. */
static inline void profile_cursor_count(const struct profile_cursor *cursor,
					struct call_node *node,
					enum call_how how, bool is_in_window)
{
	if (is_in_window && cursor->has_cpu)
		call_node_count_entry(cursor->tree, node, how);
}

/* Counts a call of @function and moves to its node. Returns false when out of
 * memory.
 */
static inline bool profile_cursor_enter(struct profile_cursor *cursor,
					uint32_t function, enum call_how how,
					bool is_in_window)
{
	struct call_node *node =
		call_node_enter(cursor->tree, cursor->node, function, how);

	if (!node)
		return false;
	cursor->node = node;
	profile_cursor_count(cursor, node, how, is_in_window);
	return true;
}

static inline void profile_cursor_leave(struct profile_cursor *cursor)
{
	cursor->node = call_tree_at(cursor->tree, cursor->node->parent);
}

/* Counts a call that returns at once. A call of the function by itself counts
 * at the current node. Returns false when out of memory.
 */
static inline bool profile_cursor_local(struct profile_cursor *cursor,
					uint32_t function, enum call_how how,
					bool is_in_window)
{
	if (cursor->node->function == function) {
		profile_cursor_count(cursor, cursor->node, how, is_in_window);
		return true;
	}
	if (!profile_cursor_enter(cursor, function, how, is_in_window))
		return false;
	profile_cursor_leave(cursor);
	return true;
}

/* Applies the one or two steps of a plain @event (call_frames.h). Returns false
 * when out of memory.
 */
static inline bool profile_cursor_go(struct profile_cursor *cursor,
				     const struct function_event *event,
				     uint64_t clock_ns, bool is_in_window)
{
	profile_cursor_pass(cursor, clock_ns);
	if (event->kind == FUNCTION_CALL)
		return profile_cursor_enter(cursor, event->function, HOW_CALL,
					    is_in_window);
	profile_cursor_leave(cursor);
	return event->kind == FUNCTION_RETURN ||
	       profile_cursor_enter(cursor, event->function, HOW_TAIL,
				    is_in_window);
}

#endif
