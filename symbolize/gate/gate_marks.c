/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_marks.h"
#include "common/recording_events.h"
#include "symbolize/events/function_event.h"
#include "symbolize/gate/gate_step.h"

#include <stdbool.h>

/* The maximum difference of the trace's clock and perf's, in addition to the
 * known uncertainty of an event's time. It is far less than the time between
 * two marks, which takes two probes.
 */
enum { CLOCKS_NS = 50, BOUND_MAX_NS = 1000 };

static uint64_t bounded(uint32_t bound_ns)
{
	return CLOCKS_NS + (bound_ns < BOUND_MAX_NS ? bound_ns : BOUND_MAX_NS);
}

static bool is_before(const struct gate_step *mark,
		      const struct function_event *event)
{
	return mark->time_ns <= event->time_ns + bounded(event->late_ns);
}

static bool is_long_before(const struct gate_step *mark,
			   const struct function_event *event)
{
	return mark->time_ns + bounded(event->early_ns) < event->time_ns;
}

static enum gate_action skip_or_wait(const struct gate_step *mark,
				     const struct function_event *event)
{
	return is_before(mark, event) ? GATE_SKIP : GATE_WAIT;
}

static enum gate_action close_or_wait(const struct gate_step *mark,
				      const struct function_event *event)
{
	return mark->time_ns <= event->time_ns ? GATE_CLOSE : GATE_WAIT;
}

static enum gate_action resume(enum gate_state state,
			       const struct gate_step *mark,
			       const struct gate_step *next,
			       const struct function_event *event)
{
	/* The call jumped to another chosen one, or a mark was lost. */
	if (state != GATE_CLOSED)
		return skip_or_wait(mark, event);
	/* Its buffer was full. */
	if (next && is_long_before(next, event))
		return GATE_LOSE;
	if (event->kind != FUNCTION_TRACE_START || !is_before(mark, event))
		return GATE_WAIT;
	return GATE_RESUME;
}

static enum gate_action pause_at(enum gate_state state,
				 const struct gate_step *mark,
				 const struct function_event *event)
{
	if (state == GATE_CLOSED)
		return skip_or_wait(mark, event);
	if (state == GATE_LOST || event->kind == FUNCTION_TRACE_START ||
	    event->kind == FUNCTION_END)
		return close_or_wait(mark, event);
	if (event->kind != FUNCTION_TRACE_STOP || !is_before(mark, event))
		return GATE_WAIT;
	return GATE_PAUSE;
}

enum gate_action gate_mark_action(enum gate_state state,
				  const struct gate_step *mark,
				  const struct gate_step *next,
				  const struct function_event *event)
{
	switch ((enum gate_mark_kind)mark->kind) {
	case GATE_BEGIN:
	case GATE_COME:
		return resume(state, mark, next, event);
	case GATE_END:
	case GATE_LEAVE:
		return pause_at(state, mark, event);
	case GATE_FIRST:
	case GATE_LAST:
		return close_or_wait(mark, event);
	}
	return GATE_SKIP;
}
