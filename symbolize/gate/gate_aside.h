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

/* The way from a chosen call to what may be a probe that pauses the trace.  What
 * is seen on it is held back until that is known.
 */
struct gate_aside {
	const struct gate_functions *functions;
	struct gate_output *output;
	struct function_event started; /* the event that led there */
	uint32_t depth;		       /* of calls that were seen since then */
	struct array held; /* struct function_event: seen since then */
	size_t outer;	   /* which of these came last at depth 0 */
};

/* Borrows both. */
struct gate_aside gate_aside_new(const struct gate_functions *functions,
				 struct gate_output *output);
void gate_aside_free(struct gate_aside *aside);

/* Returns whether @event may lead to a probe that pauses the trace: it is held
 * back then.
 */
bool gate_aside_begin(struct gate_aside *aside,
		      const struct function_event *event);

/* Takes an event.  Returns whether it is still not known: otherwise nothing pauses
 * the trace there, and all is handed on.
 */
bool gate_aside_take(struct gate_aside *aside,
		     const struct function_event *event);

/* Hands on what was held back: there is more to come, or it is lost. */
void gate_aside_break(struct gate_aside *aside);

/* The trace was paused by @mark; all that was held back belongs to the probe. */
void gate_aside_close(struct gate_aside *aside, const struct gate_step *mark);

#endif
