/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/owner_map.h"

/* Interrupts that CPUs send each other, charged to the owner of the last one of
 * the kind sent. If a wake-up sends one, it is charged to the woken task.
 */
struct ipis {
	struct owner_map sent;	 /* by role of the IPI */
	struct owner_map waking; /* by CPU, within a wake-up */
};

static void open_ipis(void *state, struct owners *owners)
{
	*(struct ipis *)state =
		(struct ipis){ OWNER_MAP_OF(owners), OWNER_MAP_OF(owners) };
}

static void close_ipis(void *state)
{
	struct ipis *ipis = state;

	owner_map_free(&ipis->sent);
	owner_map_free(&ipis->waking);
}

static void event(void *state, const struct event_context *context)
{
	const struct event_record *event = context->event;
	struct ipis *ipis = state;

	if (event->event == EVENT_SCHED_WAKING)
		owner_map_set(&ipis->waking, context->cpu,
			      event_context_process(
				      context,
				      (int32_t)event->values[WAKING_TID]));
}

static void send(struct ipis *ipis, const struct event_context *context,
		 enum interrupt_role ipi)
{
	struct owner *woken = owner_map_find(&ipis->waking, context->cpu);

	owner_map_set(&ipis->sent, ipi,
		      woken ? woken : event_context_owner(context));
}

static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	struct ipis *ipis = state;

	if (role == ROLE_WAKES && has_ended)
		owner_map_remove(&ipis->waking, context->cpu);
	else if (role == ROLE_SENDS_RESCHEDULE)
		send(ipis, context, ROLE_IPI_RESCHEDULE);
	else if (role == ROLE_SENDS_CALL)
		send(ipis, context, ROLE_IPI_CALL);
}

static void begin(void *state, const struct event_context *context)
{
	struct ipis *ipis = state;
	struct owner *owner = owner_map_find(&ipis->sent, context->slice->role);

	if (context->slice->kind == INTERRUPT_IPI && owner)
		interrupt_slice_own(context->slice, owner, CERTAIN_INFERRED);
}

const struct object_tracker track_ipis = {
	.state_bytes = sizeof(struct ipis),
	.open = open_ipis,
	.close = close_ipis,
	.event = event,
	.begin = begin,
	.role = role,
};
