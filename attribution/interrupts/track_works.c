/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/owner_map.h"

/* Sets the owner of @slice, which executes an item that @queuer (or NULL)
 * queued.
 *
 * The queue event has the thread that queued the item first since its last run.
 * Later requesters find it queued and leave no event, and many do not even try:
 * they only add to a list that is not empty. So the queuer is exact only for an
 * item of its own request, and inferred for all others.
 */
static void own(struct interrupt_slice *slice, struct owner *queuer,
		const struct event_context *context)
{
	switch (interrupt_role_service(context->roles, slice->function)) {
	case SERVES_SYSTEM:
		interrupt_slice_own(slice, owner_system(context->owners),
				    CERTAIN_EXACT);
		break;
	case SERVES_ASKER:
		if (queuer)
			interrupt_slice_own(slice, queuer, CERTAIN_EXACT);
		break;
	case SERVES_ANYBODY:
		if (queuer)
			interrupt_slice_own(slice, queuer, CERTAIN_INFERRED);
		break;
	case SERVES_WRITERS: /* see track_writeback.c */
		break;
	}
}

static void execute(struct owner_map *queued,
		    const struct event_context *context)
{
	const struct event_record *event = context->event;
	struct owner *queuer =
		owner_map_take(queued, (uint64_t)event->values[WORK_ADDRESS]);
	struct interrupt_slice *slice = context->slice;

	if (slice && slice->kind == INTERRUPT_WORK) {
		slice->function = event_context_function(
			context, event->values[WORK_FUNCTION]);
		own(slice, queuer, context);
	}
	owner_drop(context->owners, queuer);
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

/* Work items, from the task that queues them to the kworker that executes them.
 */
const struct object_tracker track_works = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.event = event,
};
