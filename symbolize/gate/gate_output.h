/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_OUTPUT_H
#define KT_SYMBOLIZE_GATE_OUTPUT_H

#include "common/array.h"
#include "symbolize/events/function_event.h"

/* The events that are handed on, in order of time. */
struct gate_output {
	struct array events; /* struct function_event */
	uint64_t last_ns;    /* of the newest */
	int status;	     /* -ERROR_MEMORY: one could not be kept */
};

struct gate_output gate_output_new(void);
void gate_output_free(struct gate_output *output);

/* Hands @event on, not before the one before it. */
void gate_output_put(struct gate_output *output, struct function_event event);

/* Keeps @event in @held (struct function_event), to be handed on later. */
void gate_output_hold(struct gate_output *output, struct array *held,
		      const struct function_event *event);

/* Hands on what is @held, which is empty then. */
void gate_output_put_held(struct gate_output *output, struct array *held);

#endif
