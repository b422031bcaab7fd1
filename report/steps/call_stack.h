/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_CALL_STACK_H
#define KT_REPORT_STEPS_CALL_STACK_H

/* The open functions of one task, and how an event changes them.
 *
 * call_stack_consume_calls() applies calls, returns and jumps; nearly all are
 * plain (call_frames.h). The others need a search of the stack, an assumption,
 * or a switch to another stack (stack_switch_internal.h). call_stack_consume()
 * applies starts and stops of the trace, gaps, and functions that were open at
 * the start.
 *
 * Invariants:
 * 1. An ordinary return ends frames of its own context only: those above the
 *    innermost exception or signal handler (frames_floor()).
 * 2. After a pause (call_stack_pause()), a frame may have ended until code of
 *    its function runs again or a return leads to it (is_confirmed).
 * 3. A stack accepts every event: one that matches no open function enters
 *    inferred frames.
 *
 * A struct call_stack belongs to one task and thread. Errors: -ERROR_MEMORY.
 */

#include "report/steps/call_frames.h"
#include "report/steps/call_step.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

/* State to compute the times of a task's call events from its CPU's events. */
struct call_times {
	struct time_window window; /* the clock stops outside of it */
	uint64_t clock_ns;	   /* the clock at from_ns: time spent traced */
	uint64_t from_ns;	   /* time of the CPU, clipped to the window */
	uint64_t whole_ns;	   /* the clock without a window, at event_ns */
	uint64_t event_ns;	   /* time of the CPU */
	uint64_t last_ns;	   /* time of the task's last call event */
	bool is_running;	   /* if false, the clock is stopped */
};

/* Returns the task's clock at @event. */
static inline uint64_t call_times_clock(const struct call_times *times,
					const struct function_event *event)
{
	if (!times->is_running)
		return times->clock_ns;
	return times->clock_ns +
	       time_window_clip(times->window, event->time_ns) - times->from_ns;
}

/* Returns the task's clock without a window at @event. */
static inline uint64_t call_times_whole(const struct call_times *times,
					const struct function_event *event)
{
	return times->is_running ?
		       times->whole_ns + event->time_ns - times->event_ns :
		       times->whole_ns;
}

/* Returns the time of @event for the task, whose time never goes back. */
static inline uint64_t call_times_ns(const struct call_times *times,
				     const struct function_event *event)
{
	return event->time_ns > times->last_ns ? event->time_ns :
						 times->last_ns;
}

/* Returns whether the times from @first to @last, events of its CPU, are valid
 * for the task without changes: the task runs, the times are in its window, and
 * its last call event is not after them. The task's clock is then an event's
 * time plus call_times_ahead().
 */
static inline bool call_times_are_plain(const struct call_times *times,
					const struct function_event *first,
					const struct function_event *last)
{
	return times->is_running && first->time_ns >= times->last_ns &&
	       time_window_has(times->window, first->time_ns) &&
	       time_window_has(times->window, last->time_ns);
}

/* Returns by how much the clock is ahead of @times->from_ns, modulo 2^64, as
 * the difference may be negative.
 */
static inline uint64_t call_times_ahead(const struct call_times *times)
{
	return times->clock_ns - times->from_ns;
}

/* Applies the first of @count events of the stack's own task, up to one that is
 * not function_event_is_call(), emits their call events to @output, and sets
 * @times to the last one's.
 *
 * Returns the number of events applied, or -ERROR_MEMORY.
 */
int call_stack_consume_calls(struct call_stack *stack,
			     const struct function_event *events,
			     uint32_t count, struct call_times *times,
			     struct call_stack_output *output);

/* Applies an event of another kind, except FUNCTION_SWITCH and FUNCTION_END;
 * output->step must have its times.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int call_stack_consume(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* Marks all open functions as perhaps ended. Must be called when the task ran,
 * or may have run, untraced.
 */
void call_stack_pause(struct call_stack *stack);

/* Exits all open functions, as at the end of the recording. */
void call_stack_close(struct call_stack *stack,
		      struct call_stack_output *output);

#endif
