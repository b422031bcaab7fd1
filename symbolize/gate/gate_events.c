/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_events.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "symbolize/gate/gate_events_parts.h"
#include "symbolize/gate/gate_marks.h"

#include <stdlib.h>

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
		.held = ARRAY_OF(struct function_event),
		.out = ARRAY_OF(struct function_event),
	};
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
	array_free(&events->held);
	array_free(&events->out);
	free(events);
}

void gate_events_put(struct gate_events *events, struct function_event event)
{
	struct function_event *out = array_add(&events->out);

	if (!out) {
		events->status = -ERROR_MEMORY;
		return;
	}
	if (event.time_ns < events->last_ns)
		event.time_ns = events->last_ns;
	events->last_ns = event.time_ns;
	*out = event;
}

void gate_events_hold(struct gate_events *events,
		      const struct function_event *event)
{
	struct function_event *held = array_add(&events->held);

	if (held)
		*held = *event;
	else
		events->status = -ERROR_MEMORY;
}

static bool is_call(const struct function_event *event)
{
	return event->kind <= FUNCTION_EXCEPTION_RETURN;
}

/* Hands on what was held back, since @event says that there is more to come of
 * the chosen call, or that it is lost.
 */
static void break_state(struct gate_events *events)
{
	if (events->state == GATE_ARRIVING)
		gate_arrival_break(events);
	else if (events->state == GATE_ASIDE)
		gate_aside_break(events);
}

/* Takes an event that is no call or return, while what runs was asked for. */
static void take_other(struct gate_events *events,
		       const struct function_event *event)
{
	/* Whoever runs: the record may be written a little late. */
	if (event->kind == FUNCTION_SWITCH) {
		gate_events_put(events, *event);
		return;
	}
	break_state(events);
	gate_events_put(events, *event);
	if (event->kind == FUNCTION_TRACE_STOP || event->kind == FUNCTION_GAP)
		events->state = GATE_LOST;
	else if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
}

static void take_call(struct gate_events *events,
		      const struct function_event *event)
{
	if (events->state == GATE_ASIDE)
		gate_aside_take(events, event);
	else if (events->state == GATE_ARRIVING &&
		 !gate_arrival_take(events, event))
		return;
	else if (!gate_aside_begin(events, event))
		gate_events_put(events, *event);
}

/* Trace without a mark: that was lost. */
static void take_unasked(struct gate_events *events,
			 const struct function_event *event)
{
	if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
	if (event->kind == FUNCTION_TRACE_START ||
	    event->kind == FUNCTION_SWITCH)
		gate_events_put(events, *event);
}

static void take(struct gate_events *events, const struct function_event *event)
{
	if (gate_marks_take(events, event))
		return;
	if (event->kind == FUNCTION_END) {
		break_state(events);
		gate_events_put(events, *event);
	} else if (events->state == GATE_CLOSED) {
		take_unasked(events, event);
	} else if (is_call(event)) {
		take_call(events, event);
	} else {
		take_other(events, event);
	}
}

/* Reads on in what the source provides.  Returns 1, 0 at the end, or an error. */
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

/* A batch of the source's makes one, if it makes any events. */
int gate_events_next(void *ctx, const struct function_event **batch)
{
	struct gate_events *events = ctx;
	int status;

	events->out.count = 0;
	while (!events->out.count && (status = fill(events)) > 0)
		while (events->in_at < events->in_count)
			take(events, &events->in[events->in_at++]);
	if (events->status)
		return events->status;
	*batch = events->out.items;
	return events->out.count ? (int)events->out.count : status;
}
