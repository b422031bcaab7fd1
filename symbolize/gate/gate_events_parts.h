/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_EVENTS_PARTS_H
#define KT_SYMBOLIZE_GATE_EVENTS_PARTS_H

#include "common/array.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/gate/gate_events.h"
#include "symbolize/gate/gate_feed.h"
#include "symbolize/gate/gate_functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of the CPU. */
enum gate_state {
	GATE_CLOSED,   /* nothing that runs was asked for */
	GATE_ARRIVING, /* it is traced in the probe that resumed the trace */
	GATE_INSIDE,   /* and in the chosen call */
	GATE_ASIDE,    /* and perhaps in a probe that pauses it */
	GATE_LOST,     /* in the chosen call, but not in the trace */
};

/* What the files gate_*.c share. */
struct gate_events {
	gate_events_source *source;
	void *ctx;
	struct gate_functions functions;
	struct gate_feed feed;

	const struct function_event *in;
	size_t in_count;
	size_t in_at;

	uint8_t state;		 /* enum gate_state */
	struct gate_step opened; /* the mark by which it goes on */
	struct symbol site;	 /* ARRIVING: the function to arrive in */
	/* ARRIVING: the trace's start; ASIDE: the event that led there. */
	struct function_event started;
	uint32_t depth;	     /* of calls that were seen since then */
	bool is_interrupted; /* ARRIVING: they are an interrupt's */
	bool is_in_copy;     /* ARRIVING: of a breakpoint behind the probed
			      * instruction, executed elsewhere */
	struct array held;   /* struct function_event: seen since then */
	size_t outer;	     /* ASIDE: which of these came last at depth 0 */

	struct array out; /* struct function_event */
	uint64_t last_ns; /* of the newest of these */
	int status;
};

/* Hands @event on, not before the one before it. */
void gate_events_put(struct gate_events *events, struct function_event event);

/* Keeps @event, which may be handed on later. */
void gate_events_hold(struct gate_events *events,
		      const struct function_event *event);

/* Goes on with the trace at @start, by the mark @events->opened: nothing is
 * handed on before gate_arrival_take() has found the chosen call.
 */
void gate_arrival_begin(struct gate_events *events,
			const struct function_event *start);

/* Takes an event while the state is GATE_ARRIVING.  Returns whether it is to be
 * handed on, the state having changed.
 */
bool gate_arrival_take(struct gate_events *events,
		       const struct function_event *event);

/* Hands on what is open at @events->opened, although the trace has not arrived
 * there.
 */
void gate_arrival_break(struct gate_events *events);

/* Returns whether @event may lead to a probe that pauses the trace, and puts the
 * state to GATE_ASIDE then.
 */
bool gate_aside_begin(struct gate_events *events,
		      const struct function_event *event);

/* Takes an event while the state is GATE_ASIDE: it is handed on as soon as it is
 * known that nothing pauses the trace there.
 */
void gate_aside_take(struct gate_events *events,
		     const struct function_event *event);

/* What was held back is handed on: there is more to come, or it is lost. */
void gate_aside_break(struct gate_events *events);

/* The trace was paused at @mark, at @time_ns; all that was held back belongs to
 * the probe.
 */
void gate_aside_close(struct gate_events *events, const struct gate_step *mark);

#endif
