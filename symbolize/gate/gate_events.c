/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_events.h"
#include "common/error.h"
#include "common/recording_events.h"
#include "decoder/flow/flow.h"
#include "symbolize/gate/gate_arrival.h"
#include "symbolize/gate/gate_aside.h"
#include "symbolize/gate/gate_feed.h"
#include "symbolize/gate/gate_functions.h"
#include "symbolize/gate/gate_marks.h"
#include "symbolize/gate/gate_output.h"

#include <stdlib.h>

struct gate_events {
	gate_events_source *source;
	void *ctx;
	struct gate_functions functions;
	struct gate_feed feed;

	const struct function_event *in;
	size_t in_count;
	size_t in_at;

	enum gate_state state;
	struct gate_arrival arrival; /* in GATE_ARRIVING */
	struct gate_aside aside;     /* in GATE_ASIDE */
	struct gate_output out;
};

struct gate_events *gate_events_new(const struct symbols *symbols,
				    const struct gate_input *input)
{
	struct gate_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	*events = (struct gate_events){
		.source = input->next_events,
		.ctx = input->events,
		.functions = gate_functions_of(symbols),
		.out = gate_output_new(),
	};
	events->arrival = gate_arrival_new(&events->functions, &events->out);
	events->aside = gate_aside_new(&events->functions, &events->out);
	if (gate_feed_begin(&events->feed, input->next_step, input->steps)) {
		gate_events_free(events);
		return NULL;
	}
	return events;
}

void gate_events_free(struct gate_events *events)
{
	if (!events)
		return;
	gate_arrival_free(&events->arrival);
	gate_aside_free(&events->aside);
	gate_output_free(&events->out);
	free(events);
}

/* Emits the held events: the chosen call continues, or is lost. */
static void break_state(struct gate_events *events)
{
	if (events->state == GATE_ARRIVING)
		gate_arrival_break(&events->arrival);
	else if (events->state == GATE_ASIDE)
		gate_aside_break(&events->aside);
	else
		return;
	events->state = GATE_INSIDE;
}

/* Nothing is requested from @time_ns on, according to @mark. */
static void close_gate(struct gate_events *events, const struct gate_step *mark,
		       uint64_t time_ns)
{
	bool is_aside = mark->kind == GATE_LEAVE && mark->count;
	bool is_probe = mark->kind == GATE_LEAVE || mark->kind == GATE_END;

	if (events->state != GATE_ASIDE || !is_probe) {
		break_state(events);
	} else {
		time_ns = events->aside.started.time_ns;
		gate_aside_close(&events->aside, mark);
	}
	/* Where tasks leave, the caller of the probe stays open. */
	if (is_aside)
		gate_output_put(&events->out,
				(struct function_event){
					.time_ns = time_ns,
					.kind = FUNCTION_OPEN_END,
					.detail = (uint8_t)(mark->count - 1),
				});
	gate_output_put(&events->out,
			(struct function_event){
				.time_ns = time_ns,
				.kind = FUNCTION_TRACE_STOP,
				.detail = is_aside ? FLOW_STOP_ASIDE :
						     FLOW_STOP_NOT_ASKED,
			});
	events->state = GATE_CLOSED;
}

/* The resumed trace is missing: its buffer was full. */
static void lose(struct gate_events *events, const struct gate_step *mark)
{
	gate_output_put(&events->out, (struct function_event){
					      .time_ns = mark->time_ns,
					      .kind = FUNCTION_GAP,
					      .detail = FLOW_GAP_LOST,
				      });
	events->state = GATE_LOST;
}

/* Performs @action for @mark. Returns whether @event is the start or stop that
 * the mark caused.
 */
static bool act(struct gate_events *events, enum gate_action action,
		const struct gate_step *mark,
		const struct function_event *event)
{
	switch (action) {
	case GATE_LOSE:
		lose(events, mark);
		return false;
	case GATE_RESUME:
		gate_arrival_begin(&events->arrival, mark, event);
		events->state = GATE_ARRIVING;
		return true;
	case GATE_PAUSE:
		close_gate(events, mark, event->time_ns);
		return true;
	case GATE_CLOSE:
		close_gate(events, mark, mark->time_ns);
		return false;
	case GATE_SKIP:
	case GATE_WAIT:
		break;
	}
	return false;
}

/* Consumes the marks that precede @event or coincide with it: a mark that
 * resumes the trace coincides with the trace's start, one that pauses it with
 * its stop.
 *
 * Returns whether @event coincided with a mark.
 */
static bool take_marks(struct gate_events *events,
		       const struct function_event *event)
{
	const struct gate_step *mark;
	struct function_event at = *event;
	bool is_taken = false;

	while (!is_taken && (mark = gate_feed_first(&events->feed))) {
		enum gate_action action;

		/* Marks may continue after the end of the trace. */
		if (event->kind == FUNCTION_END && mark->time_ns > at.time_ns)
			at.time_ns = mark->time_ns;
		action = gate_mark_action(events->state, mark,
					  gate_feed_second(&events->feed), &at);
		if (action == GATE_WAIT)
			break;
		is_taken = act(events, action, mark, &at);
		if (gate_feed_advance(&events->feed) < 0)
			events->out.status = -ERROR_MEMORY;
	}
	return is_taken;
}

/* Returns whether @event is the entry or exit of a virtual machine: a chosen
 * call continues there.
 */
static bool is_of_guest(const struct function_event *event)
{
	return (event->kind == FUNCTION_TRACE_STOP &&
		event->detail == FLOW_STOP_GUEST) ||
	       (event->kind == FUNCTION_TRACE_START &&
		event->detail == FUNCTION_START_AFTER_GUEST);
}

/* Consumes an event other than a call or return, while the trace is requested.
 */
static void take_other(struct gate_events *events,
		       const struct function_event *event)
{
	/* Emitted for any task: the record may be written a little late. */
	if (event->kind == FUNCTION_SWITCH ||
	    (events->state == GATE_INSIDE && is_of_guest(event))) {
		gate_output_put(&events->out, *event);
		return;
	}
	break_state(events);
	gate_output_put(&events->out, *event);
	if (event->kind == FUNCTION_TRACE_STOP || event->kind == FUNCTION_GAP)
		events->state = GATE_LOST;
	else if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
}

static void take_inside(struct gate_events *events,
			const struct function_event *event)
{
	if (gate_aside_begin(&events->aside, event))
		events->state = GATE_ASIDE;
	else
		gate_output_put(&events->out, *event);
}

static void arrive(struct gate_events *events,
		   const struct function_event *event)
{
	enum gate_progress progress =
		gate_arrival_take(&events->arrival, event);

	if (progress == GATE_ON_ITS_WAY)
		return;
	events->state = GATE_INSIDE;
	if (progress == GATE_CAME_BEFORE)
		take_inside(events, event);
}

static void take_call(struct gate_events *events,
		      const struct function_event *event)
{
	if (events->state != GATE_ARRIVING && events->state != GATE_ASIDE)
		take_inside(events, event);
	else if (events->state == GATE_ARRIVING)
		arrive(events, event);
	else if (!gate_aside_take(&events->aside, event))
		events->state = GATE_INSIDE;
}

/* Handles trace without a mark: the mark was lost. */
static void take_unasked(struct gate_events *events,
			 const struct function_event *event)
{
	if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
	if (event->kind == FUNCTION_TRACE_START ||
	    event->kind == FUNCTION_SWITCH)
		gate_output_put(&events->out, *event);
}

static void take(struct gate_events *events, const struct function_event *event)
{
	if (take_marks(events, event))
		return;
	if (event->kind == FUNCTION_END) {
		break_state(events);
		gate_output_put(&events->out, *event);
	} else if (events->state == GATE_CLOSED) {
		take_unasked(events, event);
	} else if (function_event_is_call(event)) {
		take_call(events, event);
	} else {
		take_other(events, event);
	}
}

/* Processes the source's next events. Returns 1, 0 at the end, or an error. */
static int fill(struct gate_events *events)
{
	int count;

	if (events->in_at < events->in_count)
		return 1;
	count = events->source(events->ctx, &events->in);
	if (count <= 0)
		return count;
	events->in_count = (size_t)count;
	events->in_at = 0;
	return 1;
}

/* Each batch of the source yields one batch, unless it yields no events. */
int gate_events_next(void *ctx, const struct function_event **batch)
{
	struct gate_events *events = ctx;
	int status;

	events->out.events.count = 0;
	while (!events->out.events.count && (status = fill(events)) > 0)
		while (events->in_at < events->in_count)
			take(events, &events->in[events->in_at++]);
	if (events->out.status)
		return events->out.status;
	*batch = events->out.events.items;
	return events->out.events.count ? (int)events->out.events.count :
					  status;
}
