/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_GATE_EVENTS_H
#define KT_SYMBOLIZE_GATE_GATE_EVENTS_H

#include "symbolize/events/function_event.h"
#include "symbolize/gate/gate_marks.h"

struct symbols;

/* Converts the function events of a CPU whose trace ran only in chosen calls,
 * so that the events show this: the functions open when the trace resumes come
 * from the call chain of the probe that resumed it; the functions of the probes
 * themselves become one call of the tracer; and the time between is a
 * FUNCTION_TRACE_STOP that marks it as not requested, from the recording's
 * start to its end.
 */
struct gate_events;

/* Provides the next events of a stream, at least 1, valid until the next call.
 * Returns their count, 0 after FUNCTION_END, or a negative enum error.
 */
typedef int gate_events_source(void *ctx, const struct function_event **batch);

/* The input: sources, each with its context argument. */
struct gate_input {
	gate_events_source *next_events; /* of a CPU */
	void *events;
	gate_step_source *next_step; /* the marks of that CPU */
	void *steps;
};

/* Borrows @symbols and the pointers in @input. Returns NULL when out of memory.
 */
struct gate_events *gate_events_new(const struct symbols *symbols,
				    const struct gate_input *input);
void gate_events_free(struct gate_events *events);

/* A gate_events_source: @events is the struct gate_events. */
int gate_events_next(void *events, const struct function_event **batch);

#endif
