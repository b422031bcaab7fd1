/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_deferred.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/requests_context.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "common/error.h"
#include "common/number_map.h"
#include "report/steps/call_step.h"

/* A part of what a kworker did for a thread. */
struct deferred {
	struct hold *by; /* the thread's, when it queued the item */
	struct hold *work;
};

/* For whom older ones were is known, or nothing tells. */
enum { MOST_DEFERRED = 64 };

static void drop(const struct deferred *deferred)
{
	hold_drop(deferred->by);
	hold_drop(deferred->work);
}

bool requests_deferred_open(struct requests *requests)
{
	requests->deferred = ARRAY_OF(struct deferred);
	requests->works = number_map_new();
	return requests->works;
}

void requests_deferred_free(struct requests *requests)
{
	const struct deferred *deferred = requests->deferred.items;
	uint64_t *by;
	size_t place = 0;

	for (size_t i = 0; i < requests->deferred.count; i++)
		drop(&deferred[i]);
	array_free(&requests->deferred);
	while (requests->works &&
	       (by = number_map_next(requests->works, &place)))
		hold_drop((struct hold *)(uintptr_t)*by);
	number_map_free(requests->works);
}

void requests_deferred_queued(struct requests *requests,
			      const struct party *party,
			      const struct event_record *event)
{
	enum context_kind context = requests_context_of(requests, party);
	uint64_t *slot;

	if (party->is_recorder ||
	    (context != CONTEXT_NONE && context != CONTEXT_SYSTEM_CALL &&
	     context != CONTEXT_FAULT && context != CONTEXT_ITEM))
		return;
	slot = number_map_add(requests->works,
			      (uint64_t)event->values[WORK_ADDRESS]);
	if (!slot) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	hold_drop((struct hold *)(uintptr_t)*slot);
	*slot = (uintptr_t)hold_refer(party->hold);
}

/* Keeps that what @worker holds now is work that was deferred in @by. */
static void begin_part(struct requests *requests, struct party *worker,
		       struct hold *by)
{
	struct deferred *deferred = array_add(&requests->deferred);

	worker->hold->is_carrier = true;
	worker->hold->is_deferred = true;
	requests_give_beside(requests, worker->hold, by->request, NULL);
	hold_drop(worker->deferred);
	worker->deferred = hold_refer(worker->hold);
	if (!deferred) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	*deferred =
		(struct deferred){ hold_refer(by), hold_refer(worker->hold) };
	if (requests->deferred.count <= MOST_DEFERRED)
		return;
	drop(array_at(&requests->deferred, 0));
	array_remove(&requests->deferred, 0, 1);
}

void requests_deferred_begins(struct requests *requests,
			      const struct event_record *event)
{
	uint64_t item = (uint64_t)event->values[WORK_ADDRESS];
	const uint64_t *slot = number_map_find(requests->works, item);
	struct party *worker;
	struct hold *by;

	if (!slot)
		return;
	by = (struct hold *)(uintptr_t)*slot;
	number_map_remove(requests->works, item);
	worker = requests_party_on(requests, event->cpu, event->tid,
				   event->time_ns);
	if (worker) {
		hold_drop(requests_cut_at(
			requests, worker,
			worker->item ? clock_mark_refer(worker->item) :
				       thread_clock_mark(&worker->clock,
							 event->time_ns)));
		begin_part(requests, worker, by);
		worker->is_deferred = true;
	}
	hold_drop(by);
}

/* As requests_item_step(). */
void requests_deferred_step(struct requests *requests, struct party *worker,
			    const struct call_step *step)
{
	bool is_flush =
		message_kinds_of(requests->kinds, step->function).kind ==
		MESSAGE_FLUSH;

	if (step->kind == STEP_ENTER && !is_flush) {
		clock_mark_drop(worker->item);
		worker->item = thread_clock_mark(&worker->clock, step->time_ns);
	}
	if (!worker->deferred)
		return;
	if (step->kind == STEP_ENTER) {
		worker->is_deferred = is_flush;
	} else if (!is_flush && worker->is_deferred) {
		hold_drop(requests_cut(requests, worker, step->time_ns));
		worker->is_deferred = false;
	} else if (!is_flush) {
		hold_drop(worker->deferred);
		worker->deferred = NULL;
	}
}

/* Returns in which hold what @worker does was deferred, borrowed, or NULL. */
static struct hold *deferred_by(const struct requests *requests,
				const struct party *worker)
{
	const struct deferred *deferred = requests->deferred.items;

	for (size_t i = requests->deferred.count; i-- > 0;)
		if (deferred[i].work == worker->deferred)
			return deferred[i].by;
	return NULL;
}

/* @work, the newest of @worker, was on the way that led to @before.  Returns where
 * it leads on.  What somebody waits for behind an item belongs to it.
 */
static struct hold *lead(struct requests *requests, const struct party *worker,
			 struct hold *work, struct hold *before)
{
	struct hold *item = worker->deferred;

	if (work != item && !item->parent) {
		requests_give_beside(requests, item, before->request, before);
		before = item;
	}
	work->is_carrier = true;
	work->is_deferred = true;
	requests_give_beside(requests, work, before->request, before);
	return work;
}

/* @worker has what @woken slept for, until @time_ns. */
static void take_turn(struct requests *requests, struct party *worker,
		      struct party *woken, struct hold *by, uint64_t time_ns)
{
	struct hold *work = requests_cut(requests, worker, time_ns);
	struct hold *before = requests_cut_at(requests, woken,
					      thread_clock_mark(&woken->clock,
								woken->off_ns));
	struct hold *asleep = before ? requests_cut(requests, woken, time_ns) :
				       NULL;

	if (work && asleep) {
		requests_give_beside(requests, asleep, before->request, NULL);
		requests_give(requests, woken->hold, before->request,
			      lead(requests, worker, work, before));
		begin_part(requests, worker, by);
		woken->awaited_ns = time_ns;
		woken->off_ns = 0;
	}
	hold_drop(work);
	hold_drop(before);
	hold_drop(asleep);
}

void requests_deferred_wakes(struct requests *requests,
			     const struct event_record *event,
			     struct party *woken)
{
	struct party *worker = requests_party_on(requests, event->cpu,
						 event->tid, event->time_ns);
	struct hold *by;

	if (!woken->off_ns || !worker || !worker->is_deferred ||
	    requests_context_of(requests, worker) != CONTEXT_ITEM)
		return;
	by = deferred_by(requests, worker);
	if (by && by->task == woken->task)
		take_turn(requests, worker, woken, by, event->time_ns);
}

void requests_deferred_follow(struct requests *requests,
			      const struct hold *hold)
{
	const struct deferred *deferred = requests->deferred.items;

	for (size_t i = 0; i < requests->deferred.count; i++)
		if (deferred[i].by == hold &&
		    deferred[i].work->request != hold->request)
			requests_give_beside(requests, deferred[i].work,
					     hold->request,
					     deferred[i].work->parent);
}
