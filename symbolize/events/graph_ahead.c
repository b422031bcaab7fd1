/* SPDX-License-Identifier: MIT */
#include "symbolize/events/graph_ahead.h"

#include "symbolize/events/graph_roles.h"
#include "symbolize/events/graph_stream.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

/* Functions on the way to user space are called at once, and no other function
 * shows that they belong there. A function that starts later belongs to another
 * context. On a slow machine, or with a slow tracer, the limit is longer.
 */
enum { FOLLOWS_NS = 2000, FOLLOWS_RECORDS = 8 };

/* Limits on the records searched: for the vector of an interrupt, after its
 * first record, and for the end of an interrupt.
 */
enum { VECTOR_RECORDS = 64, INTERRUPT_RECORDS = 4096 };

static uint32_t function_of(const struct graph_events *events,
			    const struct graph_record *record)
{
	return graph_events_symbol(events, record).function;
}

uint32_t graph_vector_ahead(const struct graph_events *events,
			    uint32_t function)
{
	const struct graph_roles *roles = events->tasks->roles;
	struct ring_pages pages = events->pages;
	struct graph_record record;

	for (int i = 0;
	     i < VECTOR_RECORDS && graph_record_next(&pages, &record) &&
	     record.tid == events->record.tid &&
	     record.depth >= events->record.depth;
	     i++) {
		uint32_t next;

		if (record.event != GRAPH_ENTRY ||
		    record.depth > events->record.depth)
			continue;
		next = function_of(events, &record);
		if (graph_role_of(roles, next) == GRAPH_ROLE_VECTOR)
			return graph_role_entry(roles, next);
	}
	return graph_role_entry(roles, function);
}

static bool is_near(const struct graph_events *events, uint64_t time_ns)
{
	uint64_t last_ns = events->task->last_exit_ns;
	uint64_t most_ns = events->pace_ns * FOLLOWS_RECORDS;

	if (most_ns < FOLLOWS_NS)
		most_ns = FOLLOWS_NS;
	return !last_ns || time_ns - last_ns <= most_ns;
}

/* A system call or fault that has not reached its actual work cannot have
 * ended: the new function interrupts it.
 */
static bool has_to_go_on(const struct graph_task *task)
{
	return task->is_on_way_in && !task->is_in_interrupt;
}

bool graph_context_lasts(const struct graph_events *events,
			 enum graph_role role, uint32_t entry, uint64_t time_ns)
{
	const struct graph_task *task = events->task;
	const struct graph_frame *context = array_at(&task->frames, 0);

	switch (role) {
	case GRAPH_ROLE_SYSTEM_CALL:
		return task->is_on_way_in && context->function == entry;
	case GRAPH_ROLE_WAY_IN:
	case GRAPH_ROLE_FAULT:
		return false;
	case GRAPH_ROLE_INTERRUPT:
		return has_to_go_on(task) || task->is_on_way_out;
	case GRAPH_ROLE_VECTOR:
		return task->is_on_way_in || is_near(events, time_ns);
	case GRAPH_ROLE_SWITCHING:
	case GRAPH_ROLE_SWITCHED:
	case GRAPH_ROLE_INTERRUPT_END:
	case GRAPH_ROLE_INTERRUPT_TAIL:
	case GRAPH_ROLE_WAY_OUT:
	case GRAPH_ROLE_CALL_WAY_OUT:
		return true;
	case GRAPH_ROLE_NONE:
		return is_near(events, time_ns);
	case GRAPH_ROLE_LAST_WAY_OUT:
		return !task->is_at_end && is_near(events, time_ns);
	case GRAPH_ROLE_USER_LOCK:
	case GRAPH_ROLE_USER_FAULT:
		return !task->is_at_end &&
		       (task->is_on_way_in || is_near(events, time_ns)) &&
		       context->function == entry;
	}
	return false;
}

/* Returns whether the next record is of the same task and starts a function at
 * @depth, and sets *next to it.
 */
static bool begins_next(const struct graph_events *events, int32_t depth,
			struct graph_record *next)
{
	struct ring_pages pages = events->pages;

	return graph_record_next(&pages, next) &&
	       next->tid == events->record.tid && next->event == GRAPH_ENTRY &&
	       next->depth == depth && !next->has_loss && !next->follows_damage;
}

bool graph_context_goes_on(const struct graph_events *events)
{
	const struct graph_roles *roles = events->tasks->roles;
	struct graph_record next;
	uint32_t function;

	/* The function is called by the tracer itself, which has not decreased
	 * the depth yet.
	 */
	if (has_to_go_on(events->task) && begins_next(events, 1, &next))
		return true;
	if (!begins_next(events, 0, &next))
		return false;
	function = function_of(events, &next);
	return graph_context_lasts(events, graph_role_of(roles, function),
				   graph_role_entry(roles, function),
				   next.time_ns);
}

/* Returns whether a function at depth 0 with @role may be part of an interrupt.
 */
static bool may_interrupt(enum graph_role role)
{
	return role == GRAPH_ROLE_NONE || role == GRAPH_ROLE_LAST_WAY_OUT ||
	       role == GRAPH_ROLE_INTERRUPT || role == GRAPH_ROLE_VECTOR ||
	       role == GRAPH_ROLE_INTERRUPT_END ||
	       role == GRAPH_ROLE_INTERRUPT_TAIL;
}

bool graph_call_is_interrupted(const struct graph_events *events)
{
	const struct graph_roles *roles = events->tasks->roles;
	struct ring_pages pages = events->pages;
	enum graph_role role = GRAPH_ROLE_NONE;
	struct graph_record next;

	if (!begins_next(events, 0, &next) ||
	    graph_role_of(roles, function_of(events, &next)) !=
		    GRAPH_ROLE_INTERRUPT)
		return false;
	for (int i = 0; i < INTERRUPT_RECORDS && may_interrupt(role) &&
			graph_record_next(&pages, &next) &&
			next.tid == events->record.tid && !next.has_loss &&
			!next.follows_damage;
	     i++)
		if (next.event == GRAPH_ENTRY && !next.depth)
			role = graph_role_of(roles, function_of(events, &next));
	return role == GRAPH_ROLE_CALL_WAY_OUT;
}

bool graph_interrupt_goes_on(const struct graph_events *events)
{
	struct graph_record next;

	return begins_next(events, events->record.depth, &next) &&
	       graph_role_of(events->tasks->roles,
			     function_of(events, &next)) ==
		       GRAPH_ROLE_INTERRUPT_TAIL;
}
