/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_output.h"
#include "common/error.h"

struct gate_output gate_output_new(void)
{
	return (struct gate_output){
		.events = ARRAY_OF(struct function_event),
	};
}

void gate_output_free(struct gate_output *output)
{
	array_free(&output->events);
}

void gate_output_put(struct gate_output *output, struct function_event event)
{
	struct function_event *out = array_add(&output->events);

	if (!out) {
		output->status = -ERROR_MEMORY;
		return;
	}
	if (event.time_ns < output->last_ns)
		event.time_ns = output->last_ns;
	output->last_ns = event.time_ns;
	*out = event;
}

void gate_output_hold(struct gate_output *output, struct array *held,
		      const struct function_event *event)
{
	if (array_append(held, event) < 0)
		output->status = -ERROR_MEMORY;
}

void gate_output_put_held(struct gate_output *output, struct array *held)
{
	const struct function_event *events = held->items;

	for (size_t i = 0; i < held->count; i++)
		gate_output_put(output, events[i]);
	held->count = 0;
}
