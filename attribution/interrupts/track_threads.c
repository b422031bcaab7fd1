/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/interrupts/owners_internal.h"
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

static void wakeups_event(void *state, const struct event_context *context)
{
	if (context->event->event == EVENT_SCHED_WAKING)
		wake(state, context,
		     (int32_t)context->event->values[WAKING_TID]);
}

static void wakeups_begin(void *state, const struct event_context *context)
{
	struct owner *owner;

	if (context->slice->kind != INTERRUPT_THREAD)
		return;
	owner = owner_map_take(state, (uint32_t)context->tid);
	/* The thread of a handler inherits the owner of its interrupt. An owner
	 * that is already known belongs to an object that the interrupt handled
	 * before it woke the thread. The thread may handle other objects, so
	 * such an owner is only inferred.
	 */
	if (owner)
		interrupt_slice_own(context->slice, owner,
				    owner_is_open(owner) ? CERTAIN_EXACT :
							   CERTAIN_INFERRED);
	owner_drop(context->owners, owner);
}

/* Tasks that interrupt work wakes, which are used if there is no better
 * evidence; and threads of threaded handlers, which inherit the owner of the
 * interrupt that wakes them.
 */
const struct object_tracker track_wakeups = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.event = wakeups_event,
	.begin = wakeups_begin,
};

/* A task that has sent a query to a device and waits. */
struct question {
	int32_t tid;
	struct owner *owner;
};

/* Queries to devices that answer each query once, such as a 9p server, from the
 * sender to the interrupt that delivers the answer. The recording does not show
 * which query is answered: the interrupt is inferred to be for all waiting
 * tasks.
 */
struct questions {
	struct owners *owners;
	struct array waiting; /* struct question */
};

static void open_questions(void *state, struct owners *owners)
{
	*(struct questions *)state =
		(struct questions){ owners, ARRAY_OF(struct question) };
}

static void close_questions(void *state)
{
	struct questions *questions = state;
	const struct question *items = questions->waiting.items;

	for (size_t i = 0; i < questions->waiting.count; i++)
		owner_drop(questions->owners, items[i].owner);
	array_free(&questions->waiting);
}

static void forget(struct questions *questions, int32_t tid)
{
	struct question *items = questions->waiting.items;
	size_t count = questions->waiting.count;

	for (size_t i = 0; i < count; i++) {
		if (items[i].tid != tid)
			continue;
		owner_drop(questions->owners, items[i].owner);
		items[i] = items[count - 1];
		questions->waiting.count--;
		return;
	}
}

static void ask(struct questions *questions,
		const struct event_context *context)
{
	struct question *question;

	forget(questions, context->tid);
	question = array_add(&questions->waiting);
	if (question)
		*question = (struct question){
			context->tid, owner_refer(event_context_owner(context))
		};
	else
		owners_fail(questions->owners);
}

static void answer(const struct questions *questions,
		   const struct event_context *context)
{
	const struct question *items = questions->waiting.items;
	struct interrupt_slice *slice = context->slice;

	if (!slice || !interrupt_slice_is_open(slice))
		return;
	for (size_t i = 0; i < questions->waiting.count; i++)
		owner_shares_add(context->owners, &slice->effects,
				 items[i].owner, 1, CERTAIN_INFERRED);
}

static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	if (role == ROLE_ASKS && has_ended)
		forget(state, context->tid);
	else if (role == ROLE_ASKS)
		ask(state, context);
	else if (role == ROLE_ANSWERS)
		answer(state, context);
}

const struct object_tracker track_questions = {
	.state_bytes = sizeof(struct questions),
	.open = open_questions,
	.close = close_questions,
	.role = role,
};

/* The processes for which a kernel thread makes memory free: struct owner_share,
 * by the number of allocations.
 */
struct served {
	struct array next; /* since its last work */
	struct array last; /* of its last work, and of more without next ones */
};

struct allocators {
	struct owners *owners;
	struct served allocating; /* all that allocate */
	struct served lacking;	  /* whose allocations lack memory */
	/* by thread of kswapd: the order of the blocks that it makes free */
	struct number_map orders;
};

static void open_allocators(void *state, struct owners *owners)
{
	const struct served none = { ARRAY_OF(struct owner_share),
				     ARRAY_OF(struct owner_share) };

	*(struct allocators *)state =
		(struct allocators){ owners, none, none, { 0 } };
}

static void free_served(struct owners *owners, struct served *served)
{
	owner_shares_free(owners, &served->next);
	owner_shares_free(owners, &served->last);
}

static void close_allocators(void *state)
{
	struct allocators *allocators = state;

	free_served(allocators->owners, &allocators->allocating);
	free_served(allocators->owners, &allocators->lacking);
	number_map_free(&allocators->orders);
}

static bool is_kcompactd(const struct event_context *context)
{
	static const char name[] = "kcompactd";

	return !strncmp(task_names_comm(context->names, context->tid,
					context->time_ns),
			name, sizeof(name) - 1);
}

/* Charges a task that reclaims or compacts memory for itself, which is exact:
 * the task waits for it. kcompactd compacts all of it for the system, before any
 * task lacks a block.
 */
static void reclaim_begins(void *state, const struct event_context *context)
{
	struct interrupt_slice *slice = context->slice;

	(void)state;
	if (slice->role == ROLE_COMPACTS_ALL && is_kcompactd(context))
		interrupt_slice_own(slice, owner_system(context->owners),
				    CERTAIN_INFERRED);
	else if (slice->role == ROLE_RECLAIMS_DIRECTLY ||
		 slice->role == ROLE_COMPACTS_ALL)
		interrupt_slice_own(
			slice, owner_process(context->owners, context->pid),
			CERTAIN_EXACT);
}

static void serve(const struct event_context *context, struct served *served)
{
	const struct owner_share *items;

	if (served->next.count) {
		owner_shares_free(context->owners, &served->last);
		served->last = served->next;
		served->next = ARRAY_OF(struct owner_share);
	}
	items = served->last.items;
	for (size_t i = 0; i < served->last.count; i++)
		owner_shares_add(context->owners, &context->slice->effects,
				 items[i].owner, items[i].weight,
				 CERTAIN_INFERRED);
}

/* Returns whether the thread makes blocks of several pages free, which processes
 * that allocate single pages do not need.
 */
static bool makes_blocks(const struct allocators *allocators,
			 const struct event_context *context)
{
	const uint64_t *order =
		number_map_find(&allocators->orders, (uint32_t)context->tid);

	return context->slice->role == ROLE_COMPACTS || (order && *order);
}

static void reclaim_ends(void *state, const struct event_context *context)
{
	struct allocators *allocators = state;

	if (context->slice->role == ROLE_RECLAIMS ||
	    context->slice->role == ROLE_COMPACTS)
		serve(context, makes_blocks(allocators, context) ?
				       &allocators->lacking :
				       &allocators->allocating);
}

static void kswapd_wakes(void *state, const struct event_context *context)
{
	struct allocators *allocators = state;
	uint64_t *order;

	if (context->event->event != EVENT_KSWAPD_WAKE)
		return;
	order = number_map_add(&allocators->orders, (uint32_t)context->tid);
	if (order)
		*order = (uint64_t)context->event->values[KSWAPD_ORDER];
	else
		owners_fail(context->owners);
}

static void allocate(void *state, const struct event_context *context,
		     enum interrupt_role role, bool has_ended)
{
	struct allocators *allocators = state;
	struct served *served =
		role == ROLE_ALLOCATES	  ? &allocators->allocating :
		role == ROLE_LACKS_MEMORY ? &allocators->lacking :
					    NULL;

	if (served && !has_ended && event_context_is_task(context))
		owner_shares_add(context->owners, &served->next,
				 event_context_owner(context), 1,
				 CERTAIN_INFERRED);
}

const struct object_tracker track_reclaim = {
	.state_bytes = sizeof(struct allocators),
	.open = open_allocators,
	.close = close_allocators,
	.event = kswapd_wakes,
	.begin = reclaim_begins,
	.end = reclaim_ends,
	.role = allocate,
};

/* Charges work that always serves the system to it: NMIs, the tick and load
 * balancing.
 */
static void system_begin(void *state, const struct event_context *context)
{
	struct interrupt_slice *slice = context->slice;

	(void)state;
	if (slice->kind == INTERRUPT_NMI ||
	    interrupt_role_service(context->roles, slice->function) ==
		    SERVES_SYSTEM)
		interrupt_slice_own(slice, owner_system(context->owners),
				    CERTAIN_EXACT);
}

/* Charges a soft interrupt of timers in which no timer expired to the system:
 * the tick raises it when a timer may have expired.
 */
static void system_end(void *state, const struct event_context *context)
{
	struct interrupt_slice *slice = context->slice;

	(void)state;
	if (slice->role == ROLE_ACTION && !slice->parts.count &&
	    !slice->effects.count && !slice->woken.count &&
	    interrupt_role_vector(context->roles, slice->function) ==
		    TIMER_SOFTIRQ)
		interrupt_slice_own(slice, owner_system(context->owners),
				    CERTAIN_INFERRED);
}

const struct object_tracker track_system = {
	.begin = system_begin,
	.end = system_end,
};

/* Remembers the owner of an interrupt of a device. An interrupt without evidence
 * found nothing to do, because its device was served meanwhile: by a poll that
 * was already scheduled, or by an earlier interrupt. It is charged to the owner
 * of the last one with the same number.
 */
static void devices_end(void *state, const struct event_context *context)
{
	struct interrupt_slice *slice = context->slice;
	struct owner *last;

	if (slice->kind != INTERRUPT_HARD || slice->irq < 0)
		return;
	if (slice->self || interrupt_slice_has_evidence(slice)) {
		owner_map_set(state, (uint32_t)slice->irq,
			      interrupt_slice_owner(context->owners, slice));
		return;
	}
	last = owner_map_find(state, (uint32_t)slice->irq);
	if (last)
		owner_shares_add(context->owners, &slice->effects, last, 1,
				 CERTAIN_INFERRED);
}

const struct object_tracker track_devices = {
	.state_bytes = sizeof(struct owner_map),
	.open = object_map_open,
	.close = object_map_close,
	.end = devices_end,
};
