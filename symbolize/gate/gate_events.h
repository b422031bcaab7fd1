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
 * mark's call chain; the code executed for probes is left out or is one call of
 * the tracer;
 * and at the end of a chosen call there is a FUNCTION_TRACE_STOP with
 * FLOW_STOP_NOT_ASKED, or with FLOW_STOP_ASIDE if the call's thread only leaves
 * its CPU.
 *
 * The transitions of enum gate_state, with their functions in gate_events.c:
 *
 *	CLOSED -> ARRIVING        a mark resumes the trace: act()
 *	CLOSED -> INSIDE          the trace starts, its mark was lost:
 *	                          consume_unasked()
 *	CLOSED -> LOST            a mark without the trace that it resumed: lose()
 *	ARRIVING -> INSIDE        the rest of the probe has ended: arrive(); or
 *	                          an event does not belong there: break_state()
 *	INSIDE -> ASIDE           an event may lead to a probe: consume_inside()
 *	ASIDE -> INSIDE           it did not: consume_call(), break_state()
 *	any -> CLOSED             a mark pauses the trace: close_gate()
 *	any but CLOSED -> LOST    the trace stops without a mark, or has a gap:
 *	                          consume_other()
 *	LOST -> INSIDE            the trace starts: consume_other()
 *
 * 1. Times of emitted events never decrease (output_put()).
 * 2. In ASIDE events are held back until it is known whether they are the
 *    probe's; break_state() emits them if no mark decides. In ARRIVING all are
 *    the probe's, and only those of interrupts are held back.
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
