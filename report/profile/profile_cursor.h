/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_CURSOR_H
#define KT_REPORT_PROFILE_CURSOR_H

#include "report/profile/call_tree.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a task that runs is in a profile's tree.  A loop over many events has a
 * copy of its own, which the compiler can keep in registers.
 */
struct profile_cursor {
	struct call_tree *tree;
	uint64_t clock_ns; /* of the task: up to here its time is in the tree */
	struct call_node *node; /* it moves where one is added: only here */
	bool has_cpu;		/* the CPU that it runs on counts */
};

/* The time up to @clock_ns was spent where it is. */
static inline void profile_cursor_pass(struct profile_cursor *cursor,
				       uint64_t clock_ns)
{
	if (cursor->has_cpu)
		cursor->node->self_ns += clock_ns - cursor->clock_ns;
	cursor->clock_ns = clock_ns;
}

/* Counts an entry of @node, which lies in the window or not. */
static inline void profile_cursor_count(const struct profile_cursor *cursor,
					struct call_node *node,
					enum call_how how, bool is_in_window)
{
	if (is_in_window && cursor->has_cpu)
		call_node_count_entry(cursor->tree, node, how);
}

/* Counts a call of @function and goes there.  Returns false when out of memory. */
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

/* Counts a call that comes back at once: one that leads to the function itself
 * stays in its place.  Returns false when out of memory.
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

/* Takes the step or the two that a plain @event (plain_call.h) leads to.  Returns
 * false when out of memory.
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
