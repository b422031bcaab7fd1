/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_ARRIVAL_H
#define KT_SYMBOLIZE_GATE_ARRIVAL_H

#include "common/array.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/gate/gate_step.h"

#include <stdbool.h>
#include <stdint.h>

struct gate_functions;
struct gate_output;

/* The path from the probe that resumed the trace to the chosen call that
 * contains it. Everything traced on this path is the rest of the probe.
 */
struct gate_arrival {
	const struct gate_functions *functions;
	struct gate_output *output;
	struct gate_step opened;       /* the mark that resumed the trace */
	struct symbol site;	       /* the function in which the path ends */
	struct function_event started; /* the start of the trace */
	uint32_t depth;		       /* of the calls seen since then */
	bool is_interrupted;	       /* these are calls of an interrupt */
	/* in the copy of the probed instruction, which is executed elsewhere,
	 * after a breakpoint
	 */
	bool is_in_copy;
	struct array held; /* struct function_event: those seen since then */
};

/* Borrows both arguments. */
struct gate_arrival gate_arrival_new(const struct gate_functions *functions,
				     struct gate_output *output);
void gate_arrival_free(struct gate_arrival *arrival);

/* The trace resumes at @start, because of @mark. Nothing is emitted before the
 * chosen call is found.
 */
void gate_arrival_begin(struct gate_arrival *arrival,
			const struct gate_step *mark,
			const struct function_event *start);

/* The progress towards the chosen call. */
enum gate_progress {
	GATE_ON_ITS_WAY,
	GATE_CAME_BY, /* arrived by this event */
	/* arrived before this event, which is already the chosen call's */
	GATE_CAME_BEFORE,
};

/* Consumes an event. Emits the open functions when the call is found. */
enum gate_progress gate_arrival_take(struct gate_arrival *arrival,
				     const struct function_event *event);

/* Emits the open functions although the trace has not arrived. */
void gate_arrival_break(struct gate_arrival *arrival);

#endif
