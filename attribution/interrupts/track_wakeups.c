/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/owner_map.h"
#include "report/text/task_names.h"

#include <string.h>

static void wake(struct owner_map *threads, const struct event_context *context,
		 int32_t tid)
{
	static const char handler[] = "irq/";
	const char *comm =
		task_names_comm(context->names, tid, context->time_ns);
	struct interrupt_slice *slice = context->slice;
	struct owner *woken = event_context_woken(context, tid);

	if (slice && !strncmp(comm, handler, sizeof(handler) - 1))
		owner_map_set(threads, (uint32_t)tid,
			      event_context_owner(context));
	else if (slice && interrupt_slice_is_open(slice) && woken)
		owner_shares_add(context->owners, &slice->woken, woken, 1,
				 CERTAIN_INFERRED);
}

static void event(void *state, const struct event_context *context)
{
	if (context->event->event == EVENT_SCHED_WAKING)
		wake(state, context,
		     (int32_t)context->event->values[WAKING_TID]);
}

static void begin(void *state, const struct event_context *context)
{
	struct owner *owner;

	if (context->slice->kind != INTERRUPT_THREAD)
		return;
	owner = owner_map_take(state, (uint32_t)context->tid);
	/* A handler's thread that inherits the owner of its interrupt works for
	 * the same owner. An interrupt that handled one object when it woke the
	 * thread does not prove that the thread handles no other.
	 */
	if (owner)
		interrupt_slice_own(context->slice, owner,
				    owner_is_open(owner) ? CERTAIN_EXACT :
							   CERTAIN_INFERRED);
	owner_drop(context->owners, owner);
}

/* The tasks that interrupt work wakes, used without better evidence; and the
 * threads of threaded handlers, from the interrupt that wakes them.
 */
const struct object_tracker track_wakeups = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.event = event,
	.begin = begin,
};
