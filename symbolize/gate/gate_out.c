/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "symbolize/gate/gate_events_parts.h"

void gate_events_put(struct gate_events *events, struct function_event event)
{
	struct function_event *out = array_add(&events->out);

	if (!out) {
		events->status = -ERROR_MEMORY;
		return;
	}
	if (event.time_ns < events->last_ns)
		event.time_ns = events->last_ns;
	events->last_ns = event.time_ns;
	*out = event;
}

void gate_events_hold(struct gate_events *events,
		      const struct function_event *event)
{
	struct function_event *held = array_add(&events->held);

	if (held)
		*held = *event;
	else
		events->status = -ERROR_MEMORY;
}
