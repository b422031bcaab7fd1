/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_table.h"
#include "symbolize/gate/gate_events_parts.h"

/* A function with a probe at its return comes back to a trampoline of the
 * kernel's, whose probe pauses the trace, unless the function is inside of
 * another chosen one: then the trampoline goes on to the caller.
 */
static bool is_to_trampoline(const struct gate_events *events,
			     const struct function_event *event)
{
	return event->kind == FUNCTION_RETURN &&
	       (event->function == events->functions.trampolines[0] ||
		event->function == events->functions.trampolines[1]);
}

static bool is_leaving(const struct gate_events *events,
		       const struct function_event *event)
{
	return event->kind == FUNCTION_CALL &&
	       event->function == events->functions.leave;
}

bool gate_aside_begin(struct gate_events *events,
		      const struct function_event *event)
{
	if (!is_to_trampoline(events, event) && !is_leaving(events, event))
		return false;
	events->state = GATE_ASIDE;
	events->started = *event;
	events->depth = 0;
	events->held.count = 0;
	if (event->kind == FUNCTION_CALL)
		gate_aside_take(events, event);
	return true;
}

static void put_held(struct gate_events *events)
{
	const struct function_event *held = events->held.items;

	for (size_t i = 0; i < events->held.count; i++)
		gate_events_put(events, held[i]);
	events->held.count = 0;
	events->state = GATE_INSIDE;
}

/* The function returned to @address of @event's function when it came to the
 * trampoline, and that was one call of the tracer's.
 */
static void put_trampoline(struct gate_events *events,
			   const struct function_event *event)
{
	struct function_event returned = *event;
	struct function_event call = events->started;

	returned.time_ns = events->started.time_ns;
	returned.early_ns = events->started.early_ns;
	returned.late_ns = events->started.late_ns;
	gate_events_put(events, returned);
	call.kind = FUNCTION_CALL;
	call.function = events->functions.probe;
	call.detail = 0;
	call.address = event->address;
	gate_events_put(events, call);
	put_held(events);
	gate_events_put(events, *event);
}

/* Returns whether @event leads from the trampoline, which is a breakpoint on
 * arm64, to the caller.
 */
static bool is_beyond(const struct gate_events *events,
		      const struct function_event *event)
{
	return events->started.kind == FUNCTION_RETURN && events->depth == 1 &&
	       event->kind == FUNCTION_EXCEPTION_RETURN &&
	       event->function != events->started.function;
}

/* The function returned to @event's, in which that exception came. */
static void put_exception(struct gate_events *events,
			  const struct function_event *event)
{
	struct function_event returned = events->started;
	struct function_event *held = events->held.items;

	returned.function = event->function;
	returned.address = event->address;
	gate_events_put(events, returned);
	if (events->outer < events->held.count)
		held[events->outer].address = event->address;
	put_held(events);
	gate_events_put(events, *event);
}

static void hold(struct gate_events *events, const struct function_event *event)
{
	if (!events->depth)
		events->outer = events->held.count;
	gate_events_hold(events, event);
}

void gate_aside_take(struct gate_events *events,
		     const struct function_event *event)
{
	int change = gate_depth_change(event);

	if (is_beyond(events, event)) {
		put_exception(events, event);
		return;
	}
	if (change < 0 && !events->depth) {
		/* Its caller has a probe, too. */
		if (!is_to_trampoline(events, event))
			put_trampoline(events, event);
		return;
	}
	hold(events, event);
	events->depth += (uint32_t)change;
	if (change < 0 && !events->depth &&
	    events->started.kind == FUNCTION_CALL)
		put_held(events);
}

void gate_aside_break(struct gate_events *events)
{
	if (events->started.kind == FUNCTION_RETURN)
		gate_events_put(events, events->started);
	put_held(events);
}

void gate_aside_close(struct gate_events *events, const struct gate_step *mark)
{
	struct function_event returned = events->started;

	events->held.count = 0;
	if (returned.kind != FUNCTION_RETURN || !mark->count)
		return;
	/* The chain begins where the function would have returned to. */
	returned.address = mark->chain[0];
	returned.function =
		gate_function_at(&events->functions, mark->chain[0] - 1);
	returned.detail = 0;
	gate_events_put(events, returned);
}
