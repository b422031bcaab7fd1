/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_EVENTS_H
#define KT_SYMBOLIZE_GATE_EVENTS_H

#include "symbolize/events/function_event.h"
#include "symbolize/gate/gate_step.h"

#include <stdint.h>

struct symbols;

/* Makes the function events of a CPU whose trace ran in chosen calls alone say
 * so: what is open when the trace goes on comes from the call chain of the probe
 * that resumed it, what runs in these probes themselves is one call of the
 * tracer's, and what lies between is a FUNCTION_TRACE_STOP that was not asked
 * for, from the recording's begin to its end.
 */
struct gate_events;

/* Provides the next events of a stream, 1 or more, valid until the next call.
 * Returns their count, 0 behind FUNCTION_END, or a negative enum error.
 */
typedef int gate_events_source(void *ctx, const struct function_event **batch);

/* What it is made from: sources, with what each is called with. */
struct gate_input {
	gate_events_source *next_events; /* of a CPU */
	void *events;
	gate_step_source *next_step; /* the marks of that CPU */
	void *steps;
};

/* Borrows @symbols and what @input points to.  Returns NULL when out of memory.
 */
struct gate_events *gate_events_new(const struct symbols *symbols,
				    const struct gate_input *input);
void gate_events_free(struct gate_events *events);

/* A gate_events_source: @events is the struct gate_events. */
int gate_events_next(void *events, const struct function_event **batch);

#endif
