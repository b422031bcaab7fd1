/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/owner_map.h"

static uint64_t key_of(uint32_t cpu, uint64_t vector)
{
	return (uint64_t)cpu << 8 | vector;
}

static void join(struct owners *owners, struct interrupt_slice *slice,
		 struct owner *pending)
{
	owner_drop(owners, slice->joined);
	slice->joined = pending ? owner_refer(pending) : NULL;
	slice->ends_request = false;
}

static void raised(struct owner_map *pending,
		   const struct event_context *context)
{
	uint64_t vector = (uint64_t)context->event->values[SOFTIRQ_VECTOR];
	uint64_t key = key_of(context->cpu, vector);
	struct owner *owner;

	if (!interrupt_slice_is_open(context->slice))
		return;
	/* The poll that it asked for says more. */
	if (vector == NET_RX_SOFTIRQ && context->slice->polls)
		return;
	/* A poll that is done with packets lets their queue go on: what that
	 * sends then tells nothing of the poll.
	 */
	if (vector == NET_TX_SOFTIRQ &&
	    context->slice->kind == INTERRUPT_NAPI &&
	    context->slice->effects.count)
		return;
	owner = owner_map_find(pending, key);
	if (owner) {
		event_context_effect(context, owner, 1);
		return;
	}
	owner = owner_open(context->owners);
	owner_map_set(pending, key, owner);
	event_context_effect(context, owner, 1);
	owner_drop(context->owners, owner);
}

static void event(void *state, const struct event_context *context)
{
	struct interrupt_slice *slice = context->slice;

	if (!slice)
		return;
	if (context->event->event == EVENT_SOFTIRQ_RAISE) {
		slice->ends_request = false;
		raised(state, context);
	} else if (context->event->event == EVENT_REQUEST_COMPLETE) {
		/* It was done here. */
		join(context->owners, slice, NULL);
	}
}

/* A request that is done waits in its CPU's list for the block soft interrupt, which is
 * raised for the first one in it alone; one of another CPU is handed over by an IPI.
 */
static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	struct interrupt_slice *slice = context->slice;

	if (!slice)
		return;
	if (role == ROLE_ENDS_REQUEST && has_ended && slice->ends_request)
		join(context->owners, slice,
		     owner_map_find(state,
				    key_of(context->cpu, BLOCK_SOFTIRQ)));
	slice->ends_request = role == ROLE_ENDS_REQUEST && !has_ended;
}

static void begin(void *state, const struct event_context *context)
{
	struct owner *owner;

	if (context->slice->role != ROLE_ACTION)
		return;
	owner = owner_map_take(
		state, key_of(context->cpu,
			      interrupt_role_vector(context->roles,
						    context->slice->function)));
	if (owner)
		interrupt_slice_cause(context->owners, context->slice, owner);
}

static void end(void *state, const struct event_context *context)
{
	(void)state;
	if (context->slice->joined)
		event_context_effect(context, context->slice->joined, 1);
}

/* From the interrupt that raises a soft interrupt to what that then does: a map
 * by CPU and vector.
 */
const struct object_tracker track_softirqs = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.event = event,
	.begin = begin,
	.end = end,
	.role = role,
};
