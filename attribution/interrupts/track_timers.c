/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/owner_map.h"
#include "common/maps.h"

/* Timers of both kinds, from the task that arms them to their function. */
struct timers {
	struct owner_map armed; /* by address */
	/* By CPU: the timer dequeued last. Before the kernel calls its
	 * function, it dequeues the timer, which looks like a cancellation, and
	 * enqueues it again afterwards if the function requests it.
	 */
	struct number_map last; /* its address */
	struct owner_map last_owners;
};

static void open_timers(void *state, struct owners *owners)
{
	*(struct timers *)state = (struct timers){
		.armed = OWNER_MAP_OF(owners),
		.last_owners = OWNER_MAP_OF(owners),
	};
}

static void close_timers(void *state)
{
	struct timers *timers = state;

	owner_map_free(&timers->armed);
	owner_map_free(&timers->last_owners);
	number_map_free(&timers->last);
}

static uint64_t address_of(const struct event_context *context)
{
	return (uint64_t)context->event->values[TIMER_ADDRESS];
}

/* Returns whether the kernel's own timer code runs, not a timer's function or a
 * task.
 */
static bool is_running_timers(const struct event_context *context)
{
	return context->slice && (context->slice->role == ROLE_HARD ||
				  context->slice->role == ROLE_ACTION);
}

/* Returns the owner of the timer, if it is the one dequeued last. */
static struct owner *taken_off(const struct timers *timers,
			       const struct event_context *context)
{
	const uint64_t *last = number_map_find(&timers->last, context->cpu);

	return last && *last == address_of(context) ?
		       owner_map_find(&timers->last_owners, context->cpu) :
		       NULL;
}

static void take_off(struct timers *timers, const struct event_context *context)
{
	struct owner *owner =
		owner_map_take(&timers->armed, address_of(context));
	uint64_t *last = number_map_add(&timers->last, context->cpu);

	if (!last) {
		owners_fail(context->owners);
	} else if (is_running_timers(context)) {
		*last = owner ? address_of(context) : 0;
		if (owner)
			owner_map_set(&timers->last_owners, context->cpu,
				      owner);
	}
	owner_drop(context->owners, owner);
}

static void arm(struct timers *timers, const struct event_context *context)
{
	struct owner *owner = NULL;
	uint32_t function = event_context_function(
		context, context->event->values[TIMER_FUNCTION]);

	if (interrupt_role_service(context->roles, function) == SERVES_SYSTEM)
		owner = owner_system(context->owners);
	else if (is_running_timers(context))
		owner = taken_off(timers, context);
	owner_map_set(&timers->armed, address_of(context),
		      owner ? owner : event_context_owner(context));
}

/* Returns how certain it is that @function works for the task that armed its
 * timer last. Exact: a timer of one requester, which a start event shows him to
 * arm. A timer of a device, a socket or a file system is armed by the first of
 * several that need it, and the others leave no event.
 */
static enum interrupt_certainty
certainty_of(const struct event_context *context, uint32_t function)
{
	switch (interrupt_role_service(context->roles, function)) {
	case SERVES_ASKER:
	case SERVES_SYSTEM:
		return CERTAIN_EXACT;
	case SERVES_ANYBODY:
	case SERVES_WRITERS:
		break;
	}
	return CERTAIN_INFERRED;
}

static void expire(struct timers *timers, const struct event_context *context,
		   enum interrupt_kind kind)
{
	uint32_t function = event_context_function(
		context, context->event->values[TIMER_FUNCTION]);

	/* High-resolution timers have no event when they are dequeued for
	 * expiry.
	 */
	if (owner_map_find(&timers->armed, address_of(context)))
		take_off(timers, context);
	if (context->slice)
		interrupt_slice_expect(context->owners, context->slice,
				       function, kind,
				       taken_off(timers, context),
				       certainty_of(context, function));
}

static void event(void *state, const struct event_context *context)
{
	const struct event_record *record = context->event;

	if (record->event == EVENT_TIMER_START ||
	    record->event == EVENT_HRTIMER_START)
		arm(state, context);
	if (record->event == EVENT_TIMER_CANCEL ||
	    record->event == EVENT_HRTIMER_CANCEL)
		take_off(state, context);
	if (record->event == EVENT_TIMER_EXPIRE)
		expire(state, context, INTERRUPT_TIMER);
	if (record->event == EVENT_HRTIMER_EXPIRE)
		expire(state, context, INTERRUPT_HRTIMER);
	if (record->event == EVENT_TASKLET_ENTRY && context->slice)
		interrupt_slice_expect(
			context->owners, context->slice,
			event_context_function(
				context, record->values[TASKLET_FUNCTION]),
			INTERRUPT_TASKLET, NULL, CERTAIN_EXACT);
}

const struct object_tracker track_timers = {
	.state_bytes = sizeof(struct timers),
	.open = open_timers,
	.close = close_timers,
	.event = event,
};
