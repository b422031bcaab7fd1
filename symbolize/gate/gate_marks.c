/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_marks.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "symbolize/gate/gate_events_parts.h"

/* The trace's clock and perf's may disagree by so much, beyond what is known of
 * an event's time: far less than from one mark to the next, which takes two
 * probes.
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

/* Nothing is asked for from @time_ns on, since @mark says so. */
static void close_gate(struct gate_events *events, const struct gate_step *mark,
		       uint64_t time_ns)
{
	bool is_aside = mark->kind == GATE_LEAVE && mark->count;
	bool is_probe = mark->kind == GATE_LEAVE || mark->kind == GATE_END;

	if (events->state == GATE_ARRIVING)
		gate_arrival_break(events);
	if (events->state == GATE_ASIDE && !is_probe)
		gate_aside_break(events);
	if (events->state == GATE_ASIDE) {
		time_ns = events->started.time_ns;
		gate_aside_close(events, mark);
	}
	/* What called the probe where tasks leave stays open. */
	if (is_aside)
		gate_events_put(events,
				(struct function_event){
					.time_ns = time_ns,
					.kind = FUNCTION_OPEN_END,
					.detail = (uint8_t)(mark->count - 1),
				});
	gate_events_put(events,
			(struct function_event){
				.time_ns = time_ns,
				.kind = FUNCTION_TRACE_STOP,
				.detail = is_aside ? FLOW_STOP_ASIDE :
						     FLOW_STOP_NOT_ASKED,
			});
	events->state = GATE_CLOSED;
}

/* The trace that was resumed is not there: its buffer was full. */
static void lose(struct gate_events *events, const struct gate_step *mark)
{
	gate_events_put(events, (struct function_event){
					.time_ns = mark->time_ns,
					.kind = FUNCTION_GAP,
					.detail = FLOW_GAP_LOST,
				});
	events->state = GATE_LOST;
}

static bool take_edge(struct gate_events *events, const struct gate_step *mark,
		      const struct function_event *event)
{
	if (mark->time_ns > event->time_ns)
		return false;
	close_gate(events, mark, mark->time_ns);
	return true;
}

static bool take_resume(struct gate_events *events,
			const struct gate_step *mark,
			const struct function_event *event, bool *is_taken)
{
	const struct gate_step *next = gate_feed_second(&events->feed);
	bool is_over = next && is_long_before(next, event);

	/* A call that jumps to another chosen one, or a mark was lost. */
	if (events->state != GATE_CLOSED)
		return is_before(mark, event);
	if (is_over) {
		lose(events, mark);
		return true;
	}
	if (event->kind != FUNCTION_TRACE_START || !is_before(mark, event))
		return false;
	events->opened = *mark;
	gate_arrival_begin(events, event);
	*is_taken = true;
	return true;
}

static bool take_pause(struct gate_events *events, const struct gate_step *mark,
		       const struct function_event *event, bool *is_taken)
{
	if (events->state == GATE_CLOSED)
		return is_before(mark, event);
	if (events->state == GATE_LOST || event->kind == FUNCTION_TRACE_START ||
	    event->kind == FUNCTION_END) {
		if (mark->time_ns > event->time_ns)
			return false;
		close_gate(events, mark, mark->time_ns);
		return true;
	}
	if (event->kind != FUNCTION_TRACE_STOP || !is_before(mark, event))
		return false;
	close_gate(events, mark, event->time_ns);
	*is_taken = true;
	return true;
}

/* Returns whether @mark is done. */
static bool take_mark(struct gate_events *events, const struct gate_step *mark,
		      const struct function_event *event, bool *is_taken)
{
	switch ((enum gate_mark_kind)mark->kind) {
	case GATE_BEGIN:
	case GATE_COME:
		return take_resume(events, mark, event, is_taken);
	case GATE_END:
	case GATE_LEAVE:
		return take_pause(events, mark, event, is_taken);
	case GATE_FIRST:
	case GATE_LAST:
		return take_edge(events, mark, event);
	}
	return true;
}

bool gate_marks_take(struct gate_events *events,
		     const struct function_event *event)
{
	const struct gate_step *mark;
	struct function_event at = *event;
	bool is_taken = false;

	while (!is_taken && (mark = gate_feed_first(&events->feed))) {
		/* The marks may go on when the trace has ended. */
		if (event->kind == FUNCTION_END && mark->time_ns > at.time_ns)
			at.time_ns = mark->time_ns;
		if (!take_mark(events, mark, &at, &is_taken))
			break;
		if (gate_feed_advance(&events->feed) < 0)
			events->status = -ERROR_MEMORY;
	}
	return is_taken;
}
