/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles_internal.h"
#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/interrupts/owners_internal.h"
#include "common/maps.h"
#include "report/text/task_names.h"

#include <stdlib.h>
#include <string.h>

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

/* Opens an owner for a soft interrupt that was raised just now; returns it,
 * borrowed.
 */
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
	/* The poll that the interrupt scheduled is better evidence. */
	if (vector == NET_RX_SOFTIRQ && context->slice->polls)
		return;
	/* A poll that has completed packets restarts their queue; packets sent
	 * as a result are no evidence about the poll.
	 */
	if (vector == NET_TX_SOFTIRQ &&
	    context->slice->kind == INTERRUPT_NAPI &&
	    context->slice->effects.count)
		return;
	if (!owner)
		owner = add_pending(context->owners, pending, key);
	event_context_effect(context, owner, 1);
}

/* Handles a soft interrupt that a task raised. Interrupts may raise it again
 * before it runs, and add to the same owner.
 */
static void raised_by_task(struct owner_map *pending,
			   const struct event_context *context)
{
	uint64_t key = key_of(context->cpu,
			      (uint64_t)context->event->values[SOFTIRQ_VECTOR]);

	if (!owner_map_find(pending, key))
		add_pending(context->owners, pending, key);
}

static void softirqs_event(void *state, const struct event_context *context)
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

/* Joins the slice that completed a request to the block soft interrupt that
 * ends the request. Completed requests wait in a list of their CPU; the soft
 * interrupt is raised only for the first one in the list. A request of another
 * CPU is passed to that CPU by an IPI.
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

static void softirqs_begin(void *state, const struct event_context *context)
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

static void softirqs_end(void *state, const struct event_context *context)
{
	(void)state;
	if (context->slice->joined)
		event_context_effect(context, context->slice->joined, 1);
}

/* Connects each interrupt that raises a soft interrupt with the work of that
 * soft interrupt, through a map from CPU and vector to an open owner: the
 * interrupt is charged to the owners of the work. The event of raising names
 * the interrupt, and the kernel runs a vector once, however often it was
 * raised. So if one interrupt raised it, all of the work belongs to that
 * interrupt. If several did, each is charged to the owners of all of the work:
 * as inferred, unless these are one process.
 */
const struct object_tracker track_softirqs = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.event = softirqs_event,
	.begin = softirqs_begin,
	.end = softirqs_end,
	.role = role,
};

/* Sets the owner of @slice, which executes an item that @queuer (or NULL)
 * queued.
 *
 * The queue event has the thread that queued the item first since its last run.
 * Later tasks find the item queued and cause no event; many do not even try to
 * queue it, but only add to a list that is not empty. So the owner is exact
 * only for an item of one request, and inferred for all others.
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
	/* track_writeback (track_storage.c) sets the owner */
	case SERVES_WRITERS:
	case SERVES_FREERS: /* track_rcu sets the owner */
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
		/* If the interrupt work that queued the item, such as the timer
		 * of delayed work, has no owner yet, it was for the owners of
		 * this slice.
		 */
		if (queuer && owner_is_open(queuer) && slice->owner != queuer)
			interrupt_slice_cause(context->owners, slice,
					      owner_refer(queuer));
	}
	owner_drop(context->owners, queuer);
}

/* Queues an item. If it serves the system, so does the timer function that
 * queues it (delayed work).
 */
static void queue(struct owner_map *queued, const struct event_context *context)
{
	const struct event_record *event = context->event;
	uint32_t function =
		event_context_function(context, event->values[WORK_FUNCTION]);

	if (interrupt_role_service(context->roles, function) == SERVES_SYSTEM)
		event_context_effect(context, owner_system(context->owners), 1);
	owner_map_set(queued, (uint64_t)event->values[WORK_ADDRESS],
		      event_context_owner(context));
}

static void works_event(void *state, const struct event_context *context)
{
	const struct event_record *record = context->event;

	if (record->event == EVENT_WORK_QUEUE)
		queue(state, context);
	else if (record->event == EVENT_WORK_BEGIN)
		execute(state, context);
}

/* Work items, from the task that queues them to the kworker that executes them.
 */
const struct object_tracker track_works = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.event = works_event,
};

/* The RCU callbacks that each CPU has queued, in order: the kernel calls them
 * in that order, on the CPU itself or in its thread rcuop/CPU. No event has
 * their addresses, so only their order connects a call with the queued
 * callback, and all owners are inferred.
 *
 *	queued:           a b c d e f
 *	called:  x x x x  a b c d
 *	         '-----'  queued before the recording: the system's
 *
 * The number queued before the recording is taken to be the largest lead of the
 * calls over the queued callbacks, which is exact if the queue was empty once.
 * So owners are resolved at the end, or when there are many. While a CPU is not
 * traced its queue is unknown.
 *
 * Memory that kvfree_call_rcu() queues is freed by work items, which are
 * charged to all processes that queued memory since the last such item.
 */
enum { MOST_CALLBACKS = 32768, MOST_FREERS = 256 };

struct callbacks {
	struct owners *owners;
	struct array cpus; /* struct callback_queue, by CPU */
	/* struct owner_share: processes that queued memory to be freed */
	struct array freers;
};

struct callback_queue {
	struct array queued; /* struct owner *: owners of queued callbacks */
	/* struct owner *: open owners of callbacks that were called */
	struct array called;
	/* number of called callbacks that were queued before the recording */
	size_t before;
};

static void open_callbacks(void *state, struct owners *owners)
{
	*(struct callbacks *)state = (struct callbacks){
		.owners = owners,
		.cpus = ARRAY_OF(struct callback_queue),
		.freers = ARRAY_OF(struct owner_share),
	};
}

static void drop_first(struct owners *owners, struct array *array, size_t count)
{
	struct owner *const *items = array->items;

	for (size_t i = 0; i < count; i++)
		owner_drop(owners, items[i]);
	array_remove(array, 0, count);
}

/* Resolves the owners of all called callbacks, and removes these callbacks. */
static void settle(struct owners *owners, struct callback_queue *queue)
{
	struct owner *const *called = queue->called.items;
	struct owner *const *queued = queue->queued.items;
	size_t done = queue->called.count - queue->before;

	for (size_t i = 0; i < queue->called.count; i++)
		owner_resolve_to(owners, called[i],
				 i < queue->before ? owner_system(owners) :
						     queued[i - queue->before],
				 CERTAIN_INFERRED);
	drop_first(owners, &queue->called, queue->called.count);
	drop_first(owners, &queue->queued, done);
	queue->before = 0;
}

static void clear_queue(struct owners *owners, struct callback_queue *queue)
{
	settle(owners, queue);
	drop_first(owners, &queue->queued, queue->queued.count);
}

static void close_callbacks(void *state)
{
	struct callbacks *callbacks = state;
	struct callback_queue *cpus = callbacks->cpus.items;

	for (size_t i = 0; i < callbacks->cpus.count; i++) {
		clear_queue(callbacks->owners, &cpus[i]);
		array_free(&cpus[i].queued);
		array_free(&cpus[i].called);
	}
	array_free(&callbacks->cpus);
	owner_shares_free(callbacks->owners, &callbacks->freers);
}

static struct callback_queue *queue_of(struct callbacks *callbacks, size_t cpu)
{
	struct callback_queue *queue = array_reach_like(
		&callbacks->cpus, cpu,
		&(struct callback_queue){ .queued = ARRAY_OF(struct owner *),
					  .called = ARRAY_OF(struct owner *) });

	if (!queue)
		owners_fail(callbacks->owners);
	return queue;
}

/* Appends @owner, whose reference it consumes. Returns false when out of
 * memory.
 */
static bool append(struct owners *owners, struct array *array,
		   struct owner *owner)
{
	if (!array_append(array, &owner))
		return true;
	owner_drop(owners, owner);
	owners_fail(owners);
	return false;
}

static void queue_callback(struct callbacks *callbacks,
			   const struct event_context *context)
{
	struct callback_queue *queue = queue_of(callbacks, context->cpu);

	if (queue && queue->queued.count == MOST_CALLBACKS)
		clear_queue(context->owners, queue);
	if (queue)
		append(context->owners, &queue->queued,
		       owner_refer(event_context_owner(context)));
}

/* Returns the CPU whose callbacks the task calls. */
static size_t callers_cpu(const struct event_context *context)
{
	static const char thread[] = "rcuop/";
	const char *comm =
		task_names_comm(context->names, context->tid, context->time_ns);

	if (context->tid <= 0 || strncmp(comm, thread, sizeof(thread) - 1))
		return context->cpu;
	return event_context_cpu(strtol(comm + sizeof(thread) - 1, NULL, 10));
}

static void call(struct callbacks *callbacks,
		 const struct event_context *context)
{
	struct callback_queue *queue =
		queue_of(callbacks, callers_cpu(context));
	struct owner *owner = owner_open(context->owners);
	size_t ahead;

	interrupt_slice_own(context->slice, owner, CERTAIN_INFERRED);
	if (queue && queue->called.count == MOST_CALLBACKS)
		settle(context->owners, queue);
	if (!queue) {
		owner_drop(context->owners, owner);
		return;
	}
	if (!append(context->owners, &queue->called, owner))
		return;
	ahead = queue->called.count > queue->queued.count ?
			queue->called.count - queue->queued.count :
			0;
	if (ahead > queue->before)
		queue->before = ahead;
}

static void callbacks_begin(void *state, const struct event_context *context)
{
	struct callbacks *callbacks = state;

	if (context->slice->kind != INTERRUPT_RCU)
		return;
	if (context->slice->role == ROLE_CALLS_RCU)
		interrupt_slice_own(context->slice,
				    owner_system(context->owners),
				    CERTAIN_EXACT);
	else
		call(callbacks, context);
}

static void callbacks_role(void *state, const struct event_context *context,
			   enum interrupt_role role, bool has_ended)
{
	struct callbacks *callbacks = state;

	if (has_ended)
		return;
	if (role == ROLE_QUEUES_RCU)
		queue_callback(callbacks, context);
	else if (role == ROLE_QUEUES_FREE &&
		 callbacks->freers.count < MOST_FREERS)
		owner_shares_add(context->owners, &callbacks->freers,
				 event_context_owner(context), 1,
				 CERTAIN_INFERRED);
}

static void callbacks_event(void *state, const struct event_context *context)
{
	struct callbacks *callbacks = state;

	if (!context->is_traced && context->cpu < callbacks->cpus.count)
		clear_queue(context->owners,
			    array_at(&callbacks->cpus, context->cpu));
}

/* Charges a work item that frees memory after RCU to the processes that queued
 * memory, or to the system if none was seen.
 */
static void callbacks_end(void *state, const struct event_context *context)
{
	struct callbacks *callbacks = state;
	struct interrupt_slice *slice = context->slice;
	const struct owner_share *items = callbacks->freers.items;

	if (slice->kind != INTERRUPT_WORK ||
	    interrupt_role_service(context->roles, slice->function) !=
		    SERVES_FREERS)
		return;
	for (size_t i = 0; i < callbacks->freers.count; i++)
		owner_shares_add(context->owners, &slice->effects,
				 items[i].owner, items[i].weight,
				 CERTAIN_INFERRED);
	if (!callbacks->freers.count)
		interrupt_slice_own(slice, owner_system(context->owners),
				    CERTAIN_INFERRED);
	owner_shares_free(context->owners, &callbacks->freers);
}

const struct object_tracker track_rcu = {
	.state_bytes = sizeof(struct callbacks),
	.open = open_callbacks,
	.close = close_callbacks,
	.event = callbacks_event,
	.begin = callbacks_begin,
	.end = callbacks_end,
	.role = callbacks_role,
};

/* Timers of both kinds, from the task that arms them to their function. */
struct timers {
	struct owner_map armed; /* owners of armed timers, by address */
	/* By CPU: the timer dequeued last. Before the kernel calls its
	 * function, it dequeues the timer, which looks like a cancellation, and
	 * enqueues it again afterwards if the function requests it.
	 */
	struct number_map last; /* address of that timer */
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

/* Returns the owner that the event's timer had when this CPU dequeued it; NULL
 * if it is not the timer that this CPU dequeued last.
 */
static struct owner *taken_off(const struct timers *timers,
			       const struct event_context *context)
{
	const uint64_t *last = number_map_find(&timers->last, context->cpu);

	return last && *last == address_of(context) ?
		       owner_map_find(&timers->last_owners, context->cpu) :
		       NULL;
}

static void consume_off(struct timers *timers,
			const struct event_context *context)
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

/* Returns how certain it is that @function works for the task that last armed
 * its timer. CERTAIN_EXACT if the timer belongs to one task, since an event
 * shows each time that it is armed, or if it serves the system. A timer of a
 * device, a socket or a file system is armed by the first of several tasks that
 * need it; the others cause no event.
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
	case SERVES_FREERS:
		break;
	}
	return CERTAIN_INFERRED;
}

static void expire(struct timers *timers, const struct event_context *context,
		   enum interrupt_kind kind)
{
	uint32_t function = event_context_function(
		context, context->event->values[TIMER_FUNCTION]);

	/* For high-resolution timers, no event reports that they are dequeued
	 * for expiry.
	 */
	if (owner_map_find(&timers->armed, address_of(context)))
		consume_off(timers, context);
	if (context->slice)
		interrupt_slice_expect(context->owners, context->slice,
				       function, kind,
				       taken_off(timers, context),
				       certainty_of(context, function));
}

static void timers_event(void *state, const struct event_context *context)
{
	const struct event_record *record = context->event;

	if (record->event == EVENT_TIMER_START ||
	    record->event == EVENT_HRTIMER_START)
		arm(state, context);
	if (record->event == EVENT_TIMER_CANCEL ||
	    record->event == EVENT_HRTIMER_CANCEL)
		consume_off(state, context);
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
	.event = timers_event,
};

/* The sender of an IPI. */
struct sent_ipi {
	struct owner *owner; /* NULL: none was sent */
	uint32_t cpu;
};

enum { IPI_KINDS = 2 }; /* to reschedule, and to call a function */

/* Interrupts that CPUs send each other. An IPI is charged to the owner of the
 * last IPI of its kind that another CPU sent or, if a wake-up sent that IPI, to
 * the woken task. An interrupt that a CPU sends itself, for irq_work, is
 * charged to the owner that last queued irq_work there.
 */
struct ipis {
	struct owners *owners;
	/* of each kind, [0] the last IPI, and [1] the last IPI that a CPU other
	 * than that of [0] sent
	 */
	struct sent_ipi sent[IPI_KINDS][2];
	struct owner_map queued; /* owner that last queued irq_work, by CPU */
	struct owner_map waking; /* task being woken, by CPU */
};

static void open_ipis(void *state, struct owners *owners)
{
	*(struct ipis *)state = (struct ipis){
		.owners = owners,
		.queued = OWNER_MAP_OF(owners),
		.waking = OWNER_MAP_OF(owners),
	};
}

static void close_ipis(void *state)
{
	struct ipis *ipis = state;

	for (size_t i = 0; i < IPI_KINDS; i++) {
		owner_drop(ipis->owners, ipis->sent[i][0].owner);
		owner_drop(ipis->owners, ipis->sent[i][1].owner);
	}
	owner_map_free(&ipis->queued);
	owner_map_free(&ipis->waking);
}

static void ipis_event(void *state, const struct event_context *context)
{
	const struct event_record *event = context->event;
	struct ipis *ipis = state;

	if (event->event == EVENT_SCHED_WAKING)
		owner_map_set(&ipis->waking, context->cpu,
			      event_context_process(
				      context,
				      (int32_t)event->values[WAKING_TID]));
}

static void send_ipi(struct ipis *ipis, const struct event_context *context,
		     enum interrupt_role ipi)
{
	struct sent_ipi *sent = ipis->sent[ipi == ROLE_IPI_CALL];
	struct owner *woken = owner_map_find(&ipis->waking, context->cpu);
	struct owner *owner =
		owner_refer(woken ? woken : event_context_owner(context));
	bool is_another = sent[0].cpu != context->cpu;

	owner_drop(context->owners, sent[is_another].owner);
	if (is_another)
		sent[1] = sent[0];
	sent[0] = (struct sent_ipi){ owner, context->cpu };
}

/* Returns the owner of the IPI of the slice that begins, or NULL. */
static struct owner *received(const struct ipis *ipis,
			      const struct event_context *context)
{
	const struct sent_ipi *sent =
		ipis->sent[context->slice->role == ROLE_IPI_CALL];

	return sent[sent[0].cpu == context->cpu].owner;
}

static void ipis_role(void *state, const struct event_context *context,
		      enum interrupt_role ipis_role, bool has_ended)
{
	struct ipis *ipis = state;

	if (ipis_role == ROLE_WAKES && has_ended)
		owner_map_remove(&ipis->waking, context->cpu);
	else if (ipis_role == ROLE_SENDS_RESCHEDULE)
		send_ipi(ipis, context, ROLE_IPI_RESCHEDULE);
	else if (ipis_role == ROLE_SENDS_CALL)
		send_ipi(ipis, context, ROLE_IPI_CALL);
	else if (ipis_role == ROLE_QUEUES_IRQ_WORK)
		owner_map_set(&ipis->queued, context->cpu,
			      event_context_owner(context));
}

static void ipis_begin(void *state, const struct event_context *context)
{
	struct ipis *ipis = state;
	bool is_own = context->slice->role == ROLE_IRQ_WORK;
	struct owner *owner =
		is_own ? owner_map_find(&ipis->queued, context->cpu) :
			 received(ipis, context);

	if ((is_own || context->slice->kind == INTERRUPT_IPI) && owner)
		interrupt_slice_own(context->slice, owner, CERTAIN_INFERRED);
}

const struct object_tracker track_ipis = {
	.state_bytes = sizeof(struct ipis),
	.open = open_ipis,
	.close = close_ipis,
	.event = ipis_event,
	.begin = ipis_begin,
	.role = ipis_role,
};
