/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles_internal.h"
#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/interrupts/owners_internal.h"
#include "report/text/task_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Connects each poll of a network device with the interrupt that scheduled it
 * (struct object_tracker): that interrupt is charged to the owners of the
 * poll's packets (track_packets.c).
 */

/* A poll that is scheduled. */
struct scheduled {
	struct owner *owner;
	/* start of the interrupt, or threaded handler, that scheduled it; 0:
	 * something else did
	 */
	uint64_t time_ns;
};

/* The network devices of a CPU that are scheduled to be polled. net/core/dev.c
 * polls them in the order they were scheduled. A device whose poll is not
 * finished is polled again in the next round, after those scheduled in this
 * one.
 */
struct waiting {
	struct array polls; /* struct scheduled, starting at first */
	size_t first;
	uint32_t unfinished;
	/* the soft interrupt was raised again: another round will follow */
	bool is_raised;
};

struct polls {
	struct owners *owners;
	struct array cpus; /* struct waiting, by CPU */
};

static void clear(struct polls *polls, struct waiting *waiting)
{
	const struct scheduled *items = waiting->polls.items;

	for (size_t i = waiting->first; i < waiting->polls.count; i++)
		owner_drop(polls->owners, items[i].owner);
	waiting->first = 0;
	waiting->polls.count = 0;
	waiting->unfinished = 0;
}

static void open_polls(void *state, struct owners *owners)
{
	*(struct polls *)state =
		(struct polls){ owners, ARRAY_OF(struct waiting) };
}

static void close_polls(void *state)
{
	struct polls *polls = state;
	struct waiting *cpus = polls->cpus.items;

	for (size_t i = 0; i < polls->cpus.count; i++) {
		clear(polls, &cpus[i]);
		array_free(&cpus[i].polls);
	}
	array_free(&polls->cpus);
}

static struct waiting *waiting_on(struct polls *polls, uint32_t cpu)
{
	struct waiting *waiting = array_reach_like(
		&polls->cpus, cpu,
		&(struct waiting){ .polls = ARRAY_OF(struct scheduled) });

	if (!waiting)
		owners_fail(polls->owners);
	return waiting;
}

/* Adds a scheduled poll. Consumes the reference to @owner. */
static void push(struct polls *polls, uint32_t cpu, struct owner *owner,
		 uint64_t time_ns)
{
	const struct scheduled scheduled = { owner, time_ns };
	struct waiting *waiting = waiting_on(polls, cpu);

	if (waiting && !array_append(&waiting->polls, &scheduled))
		return;
	owners_fail(polls->owners);
	owner_drop(polls->owners, owner);
}

static void polls_role(void *state, const struct event_context *context,
		       enum interrupt_role role, bool has_ended)
{
	struct owner *owner;

	if (role != ROLE_SCHEDULES_POLL || has_ended)
		return;
	owner = owner_open(context->owners);
	if (context->slice)
		context->slice->polls = true;
	/* A poll that schedules another one works for its own packets. */
	if (context->slice && context->slice->kind != INTERRUPT_NAPI)
		event_context_effect(context, owner, 1);
	push(state, context->cpu, owner,
	     context->slice && (context->slice->kind == INTERRUPT_HARD ||
				context->slice->kind == INTERRUPT_THREAD) ?
		     context->slice->span.begin_ns :
		     0);
}

/* Removes the poll that was scheduled last, if it has not begun. */
static void unpush(struct polls *polls, uint32_t cpu)
{
	struct waiting *waiting = waiting_on(polls, cpu);
	const struct scheduled *last;

	if (!waiting || waiting->first == waiting->polls.count)
		return;
	last = array_at(&waiting->polls, waiting->polls.count - 1);
	owner_drop(polls->owners, last->owner);
	waiting->polls.count--;
}

static bool is_round(const struct event_context *context)
{
	return context->slice->role == ROLE_ACTION &&
	       interrupt_role_vector(context->roles,
				     context->slice->function) ==
		       NET_RX_SOFTIRQ;
}

static void polls_begin(void *state, const struct event_context *context)
{
	struct waiting *waiting;
	const struct scheduled *next;
	bool begins_round = is_round(context);

	if (context->slice->kind != INTERRUPT_NAPI && !begins_round)
		return;
	waiting = waiting_on(state, context->cpu);
	if (waiting && begins_round)
		waiting->is_raised = false;
	if (begins_round || !waiting || waiting->first == waiting->polls.count)
		return;
	next = array_at(&waiting->polls, waiting->first++);
	context->slice->scheduled_ns = next->time_ns;
	interrupt_slice_cause(context->owners, context->slice, next->owner);
	if (waiting->first == waiting->polls.count && !waiting->unfinished)
		clear(state, waiting);
}

/* Clears the CPU's list at the end of a round if no other round follows: the
 * kernel's list is empty then.
 */
static void polls_end(void *state, const struct event_context *context)
{
	struct waiting *waiting =
		is_round(context) ? waiting_on(state, context->cpu) : NULL;

	if (waiting && !waiting->is_raised)
		clear(state, waiting);
	for (; waiting && waiting->unfinished; waiting->unfinished--)
		push(state, context->cpu, owner_open(context->owners), 0);
}

/* Handles a wake-up of a thread that polls its own device: removes the poll
 * that was scheduled for it, because the thread's polls are not part of a
 * round.
 */
static void wake_poller(struct polls *polls,
			const struct event_context *context)
{
	int32_t tid = (int32_t)context->event->values[WAKING_TID];
	const char *comm =
		task_names_comm(context->names, tid, context->time_ns);

	if (context->slice && context->slice->polls &&
	    !strncmp(comm, "napi/", 5))
		unpush(polls, context->cpu);
}

static void polls_event(void *state, const struct event_context *context)
{
	const struct event_record *record = context->event;
	struct waiting *waiting;

	if (record->event == EVENT_SOFTIRQ_RAISE &&
	    record->values[SOFTIRQ_VECTOR] == NET_RX_SOFTIRQ) {
		waiting = waiting_on(state, context->cpu);
		if (waiting)
			waiting->is_raised = true;
	}
	/* Counts only polls in interrupt work: a task that polls a device
	 * itself is in no round.
	 */
	if (record->event == EVENT_NAPI_POLL && context->slice &&
	    record->values[NAPI_BUDGET] &&
	    record->values[NAPI_WORK] >= record->values[NAPI_BUDGET]) {
		waiting = waiting_on(state, context->cpu);
		if (waiting)
			waiting->unfinished++;
	}
	if (record->event == EVENT_SCHED_WAKING)
		wake_poller(state, context);
}

const struct object_tracker track_polls = {
	.state_bytes = sizeof(struct polls),
	.open = open_polls,
	.close = close_polls,
	.event = polls_event,
	.begin = polls_begin,
	.end = polls_end,
	.role = polls_role,
};
