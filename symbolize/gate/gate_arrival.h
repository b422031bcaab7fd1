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

/* The way from the probe that resumed the trace to the chosen call, in which it
 * is: what is seen on it is the probe's own rest.
 */
struct gate_arrival {
	const struct gate_functions *functions;
	struct gate_output *output;
	struct gate_step opened;       /* the mark by which the trace goes on */
	struct symbol site;	       /* the function to arrive in */
	struct function_event started; /* the trace's start */
	uint32_t depth;		       /* of calls that were seen since then */
	bool is_interrupted;	       /* they are an interrupt's */
	bool is_in_copy;   /* of a breakpoint behind the probed instruction,
			    * executed elsewhere */
	struct array held; /* struct function_event: seen since then */
};

/* Borrows both. */
struct gate_arrival gate_arrival_new(const struct gate_functions *functions,
				     struct gate_output *output);
void gate_arrival_free(struct gate_arrival *arrival);

/* The trace goes on at @start, by @mark: nothing is handed on before the chosen
 * call is found.
 */
void gate_arrival_begin(struct gate_arrival *arrival,
			const struct gate_step *mark,
			const struct function_event *start);

/* How far it has come. */
enum gate_progress {
	GATE_ON_ITS_WAY,
	GATE_CAME_BY,	  /* the event that was taken */
	GATE_CAME_BEFORE, /* that event, which is the chosen call's already */
};

/* Takes an event.  What is open is handed on when the call is found. */
enum gate_progress gate_arrival_take(struct gate_arrival *arrival,
				     const struct function_event *event);

/* Hands on what is open, although the trace has not arrived there. */
void gate_arrival_break(struct gate_arrival *arrival);

#endif
