/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_GATE_EVENTS_H
#define KT_SYMBOLIZE_GATE_GATE_EVENTS_H

#include "symbolize/events/function_event.h"
#include "symbolize/gate/gate_marks.h"

struct symbols;

/* Converts the function events of a CPU whose trace ran only in chosen calls
 * (record --only). A probe at the start of a chosen call resumes the trace, and
 * a probe at its end pauses it; each leaves a mark with its call chain
 * (gate_marks.h). The converted events differ from the original ones in three
 * points: the functions that are open when the trace resumes come from the
 * mark's call chain; the code executed for probes is one call of the tracer;
 * and at the end of a chosen call there is a FUNCTION_TRACE_STOP with
 * FLOW_STOP_NOT_ASKED or FLOW_STOP_ASIDE.
 *
 * enum gate_state, with the function of gate_events.c of each transition:
 *
 *	           act()            arrive()              consume_inside()
 *	CLOSED ──────────► ARRIVING ────────────► INSIDE ─────────────────► ASIDE
 *	  ▲                 rest of the probe      chosen ◄───────────────── perhaps
 *	  │                                         call    consume_call()   a probe
 *	  └──────────────── close_gate(), by a mark that pauses ───────────────┘
 *
 *	any ─► LOST: trace is missing, or stopped without a mark (lose(),
 *	consume_other()); a start of the trace leads from there to INSIDE.
 *
 * 1. Times of emitted events never decrease (output_put()).
 * 2. In ARRIVING and ASIDE events are held back, until it is known whether they
 *    are the probe's. break_state() emits them if no mark decides.
 * 3. Each batch of the source becomes at most one batch of events.
 *
 * Errors: -ERROR_MEMORY, or those of the source.
 */
struct gate_events;

/* Provides the next events of a stream, at least 1, valid until the next call.
 * Returns their count, 0 after FUNCTION_END, or a negative enum error.
 */
typedef int gate_events_source(void *ctx, const struct function_event **batch);

/* The input: two sources, each followed by the argument it is called with. */
struct gate_input {
	gate_events_source *next_events; /* of a CPU */
	void *events;
	probe_mark_source *next_mark; /* the marks of that CPU */
	void *marks;
};

/* Borrows @symbols and the pointers in @input. Returns NULL when out of memory.
 */
struct gate_events *gate_events_new(const struct symbols *symbols,
				    const struct gate_input *input);
void gate_events_free(struct gate_events *events);

/* Provides the next converted events, as a gate_events_source; @events is the
 * struct gate_events.
 */
int gate_events_next(void *events, const struct function_event **batch);

#endif
