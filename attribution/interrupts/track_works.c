/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/owner_map.h"

static void execute(struct owner_map *queued,
		    const struct event_context *context)
{
	const struct event_record *event = context->event;
	struct owner *owner =
		owner_map_take(queued, (uint64_t)event->values[WORK_ADDRESS]);
	struct interrupt_slice *slice = context->slice;

	if (slice && slice->kind == INTERRUPT_WORK) {
		slice->function = event_context_function(
			context, event->values[WORK_FUNCTION]);
		if (owner)
			interrupt_slice_own(slice, owner, CERTAIN_EXACT);
	}
	owner_drop(context->owners, owner);
}

static void event(void *state, const struct event_context *context)
{
	const struct event_record *record = context->event;

	if (record->event == EVENT_WORK_QUEUE)
		owner_map_set(state, (uint64_t)record->values[WORK_ADDRESS],
			      event_context_owner(context));
	else if (record->event == EVENT_WORK_BEGIN)
		execute(state, context);
}

/* Work items, from who queues them to the kworker that executes them. */
const struct object_tracker track_works = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.event = event,
};
