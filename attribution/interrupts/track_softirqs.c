/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/owner_map.h"
#include "attribution/interrupts/owner_shares.h"

static uint64_t key_of(uint32_t cpu, uint64_t vector)
{
	return (uint64_t)cpu << 8 | vector;
}

static void join(struct owners *owners, struct interrupt_slice *slice,
		 struct owner *pending)
{
	owner_drop(owners, slice->joined);
	slice->joined = pending ? owner_refer(pending) : NULL;
	if (pending && !owner_shares_has(&slice->effects, pending))
		owner_doubt(pending);
	slice->ends_request = false;
}

/* Returns the owner of a soft interrupt that was raised just now; borrowed. */
static struct owner *add_pending(struct owners *owners,
				 struct owner_map *pending, uint64_t key)
{
	struct owner *owner = owner_open(owners);

	owner_map_set(pending, key, owner);
	owner_drop(owners, owner);
	owner = owner_map_find(pending, key);
	return owner ? owner : owner_nobody(owners);
}

static void raised(struct owner_map *pending,
		   const struct event_context *context)
{
	uint64_t vector = (uint64_t)context->event->values[SOFTIRQ_VECTOR];
	uint64_t key = key_of(context->cpu, vector);
	struct owner *owner = owner_map_find(pending, key);

	if (!interrupt_slice_is_open(context->slice))
		return;
	/* The poll that it scheduled is better evidence. */
	if (vector == NET_RX_SOFTIRQ && context->slice->polls)
		return;
	/* A poll that has completed packets restarts their queue; packets sent
	 * as a result are no evidence about the poll.
	 */
	if (vector == NET_TX_SOFTIRQ &&
	    context->slice->kind == INTERRUPT_NAPI &&
	    context->slice->effects.count)
		return;
	if (owner && !owner_shares_has(&context->slice->effects, owner))
		owner_doubt(owner);
	if (!owner)
		owner = add_pending(context->owners, pending, key);
	event_context_effect(context, owner, 1);
}

/* A soft interrupt that a task raised also does the task's work: an interrupt
 * that raises the same one is not charged exactly for all of it.
 */
static void raised_by_task(struct owner_map *pending,
			   const struct event_context *context)
{
	uint64_t key = key_of(context->cpu,
			      (uint64_t)context->event->values[SOFTIRQ_VECTOR]);
	struct owner *owner = owner_map_find(pending, key);

	owner_doubt(owner ? owner : add_pending(context->owners, pending, key));
}

static void event(void *state, const struct event_context *context)
{
	struct interrupt_slice *slice = context->slice;

	if (!slice && context->event->event == EVENT_SOFTIRQ_RAISE)
		raised_by_task(state, context);
	if (!slice)
		return;
	if (context->event->event == EVENT_SOFTIRQ_RAISE) {
		slice->ends_request = false;
		raised(state, context);
	} else if (context->event->event == EVENT_REQUEST_COMPLETE) {
		/* The request was completed in this slice, not passed on. */
		join(context->owners, slice, NULL);
	}
}

/* A completed request waits in its CPU's list for the block soft interrupt,
 * which is raised only for the first one in the list. A request of another CPU
 * is passed on by an IPI.
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

/* Connects the interrupt that raises a soft interrupt with the latter's work: a
 * map by CPU and vector. The raise event has the interrupt, and the kernel runs
 * a vector once for all that raised it. So work raised by a single interrupt is
 * exactly its own; of several, each is charged with all of it, as inferred,
 * unless all of it was for one process.
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
