/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_ASIDE_H
#define KT_SYMBOLIZE_GATE_ASIDE_H

#include "common/array.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gate_functions;
struct gate_output;
struct gate_step;

/* The path from a chosen call to a function that may be a probe that pauses the
 * trace. Events on this path are held back until that is known.
 */
struct gate_aside {
	const struct gate_functions *functions;
	struct gate_output *output;
	struct function_event started; /* the first event of the path */
	uint32_t depth;		       /* of the calls seen since then */
	struct array held; /* struct function_event: those seen since then */
	size_t outer;	   /* index of the last of these at depth 0 */
};

/* Borrows both arguments. */
struct gate_aside gate_aside_new(const struct gate_functions *functions,
				 struct gate_output *output);
void gate_aside_free(struct gate_aside *aside);

/* Returns whether @event may lead to a probe that pauses the trace. If so,
 * holds it back.
 */
bool gate_aside_begin(struct gate_aside *aside,
		      const struct function_event *event);

/* Consumes an event. Returns whether it is still undecided. Otherwise nothing
 * pauses the trace there, and all held events are emitted.
 */
bool gate_aside_take(struct gate_aside *aside,
		     const struct function_event *event);

/* Emits the held events: the pause is still to come, or lost. */
void gate_aside_break(struct gate_aside *aside);

/* @mark paused the trace: all held events belong to the probe. */
void gate_aside_close(struct gate_aside *aside, const struct gate_step *mark);

#endif
