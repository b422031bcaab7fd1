/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_OUTPUT_H
#define KT_SYMBOLIZE_GATE_OUTPUT_H

#include "common/array.h"
#include "symbolize/events/function_event.h"

/* The emitted events, in order of time. */
struct gate_output {
	struct array events; /* struct function_event */
	uint64_t last_ns;    /* time of the newest */
	int status;	     /* -ERROR_MEMORY: an event was lost */
};

struct gate_output gate_output_new(void);
void gate_output_free(struct gate_output *output);

/* Emits @event, at the earliest at the time of the previous event. */
void gate_output_put(struct gate_output *output, struct function_event event);

/* Appends @event to @held (struct function_event), to be emitted later. */
void gate_output_hold(struct gate_output *output, struct array *held,
		      const struct function_event *event);

/* Emits the events in @held and empties it. */
void gate_output_put_held(struct gate_output *output, struct array *held);

#endif
