/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_sleeps.h"

#include "attribution/requests/request.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_stretches.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"

#include "common/array.h"
#include <stdlib.h>

struct request_sleeps {
	struct task_listener listener;
	const struct attribution_input *input;
	const struct task_tracker *tracker;
	struct function_marks *kinds;
	/* struct request_sleep, sorted by task and start at the end */
	struct array naps;
	struct request_stretches stretches;
	/* From another pass: struct numbered_sleep, by number, and their
	 * wakers.
	 */
	struct array put;
	const struct wakers *put_wakers;
};

struct numbered_sleep {
	uint64_t number;
	struct request_sleep is;
};

static bool is_idle(const struct request_sleeps *sleeps,
		    const struct sleep *sleep)
{
	const struct call_tree *stacks = task_tracker_stacks(sleeps->tracker);
	uint32_t at = sleep->stack;

	while (at != CALL_NODE_NONE &&
	       !message_kind_waits(
		       message_kinds_of(sleeps->kinds,
					call_tree_at(stacks, at)->function)
			       .kind))
		at = call_tree_at(stacks, at)->parent;
	return at != CALL_NODE_NONE;
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct request_sleeps *sleeps = (struct request_sleeps *)listener;

	return array_append(&sleeps->naps,
			    &(struct request_sleep){
				    .task = sleep->task,
				    .label = sleep->label,
				    .waker = sleep->waker,
				    .fd = sleep->fd,
				    .is_idle = is_idle(sleeps, sleep),
				    .begin_ns = sleep->begin_ns,
				    .off_ns = sleep->off_ns,
				    .asleep_ns = sleep->asleep_ns,
			    });
}

struct request_sleeps *request_sleeps_new(const struct attribution_input *input)
{
	struct request_sleeps *sleeps = calloc(1, sizeof(*sleeps));

	if (!sleeps)
		return NULL;
	sleeps->listener.slept = take_sleep;
	sleeps->input = input;
	sleeps->naps = ARRAY_OF(struct request_sleep);
	sleeps->stretches = REQUEST_STRETCHES_NONE;
	sleeps->put = ARRAY_OF(struct numbered_sleep);
	sleeps->tracker =
		trackers_plain_tasks(input->trackers, &sleeps->listener);
	sleeps->kinds = message_kinds_new(symbols_functions(input->symbols));
	if (sleeps->tracker && sleeps->kinds)
		return sleeps;
	request_sleeps_free(sleeps);
	return NULL;
}

void request_sleeps_free(struct request_sleeps *sleeps)
{
	if (!sleeps)
		return;
	free(sleeps->kinds);
	array_free(&sleeps->naps);
	request_stretches_free(&sleeps->stretches);
	array_free(&sleeps->put);
	free(sleeps);
}

static int compare_naps(const void *a, const void *b)
{
	const struct request_sleep *x = a;
	const struct request_sleep *y = b;

	if (x->task->index != y->task->index)
		return x->task->index < y->task->index ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static bool is_nap_before(const void *nap, const void *other)
{
	return compare_naps(nap, other) < 0;
}

int request_sleeps_add(struct request_sleeps *sleeps,
		       const struct request *request)
{
	return request_stretches_add(&sleeps->stretches, request);
}

void request_sleeps_end(struct request_sleeps *sleeps)
{
	array_sort(&sleeps->naps, compare_naps);
	request_stretches_sort(&sleeps->stretches);
}

/* Sets the sender of @nap if an interrupt or a kworker woke its thread with a
 * message: an interval of the same @way, from @index on, that starts at the
 * wake-up has the sender.
 */
static void find_sender(const struct request_sleeps *sleeps,
			const struct request_way *way, size_t index,
			struct request_sleep *nap, uint64_t end_ns)
{
	if (nap->waker == WAKER_NONE)
		return;
	for (size_t i = index;
	     i < way->count && request_way_at(way, i)->begin_ns <= end_ns;
	     i++) {
		const struct request_stretch *stretch = request_way_at(way, i);

		if (stretch->task != nap->task || stretch->begin_ns != end_ns ||
		    !stretch->waker ||
		    wakers_has(request_sleeps_wakers(sleeps), nap->waker,
			       stretch->waker->tid))
			continue;
		nap->sender = stretch->waker;
		nap->sender_function = stretch->waker_function;
	}
}

static int hand_out(const struct request_sleeps *sleeps,
		    const struct request_way *way, size_t index,
		    const struct request_sleep *nap,
		    struct request_sleep_callback *callback)
{
	uint64_t end_ns = nap->off_ns + nap->asleep_ns;
	struct request_sleep part = *nap;

	part.asleep_ns =
		request_way_part(way, index, nap->task, nap->off_ns, end_ns);
	if (!part.asleep_ns)
		return 0;
	find_sender(sleeps, way, index, &part, end_ns);
	return callback->take(callback, &part);
}

/* Calls @callback with the parts of its thread's naps that are in interval
 * @index of @way, and in none before.
 */
static int visit_stretch(const struct request_sleeps *sleeps,
			 const struct request_way *way, size_t index,
			 struct request_sleep_callback *callback)
{
	const struct request_stretch *stretch = request_way_at(way, index);
	const struct request_sleep first = { .task = stretch->task,
					     .begin_ns = stretch->begin_ns };
	const struct request_sleep *naps = sleeps->naps.items;
	size_t i = array_partition_point(&sleeps->naps, &first, is_nap_before);
	int status = 0;

	/* A nap may have started before the interval. */
	if (i)
		i--;
	for (;
	     !status && i < sleeps->naps.count &&
	     naps[i].task->index <= first.task->index &&
	     (naps[i].task != first.task || naps[i].begin_ns < stretch->end_ns);
	     i++)
		status = hand_out(sleeps, way, index, &naps[i], callback);
	return status;
}

static bool is_put_earlier(const void *sleep, const void *number)
{
	return ((const struct numbered_sleep *)sleep)->number <
	       *(const uint64_t *)number;
}

static int visit_put(const struct request_sleeps *sleeps, uint64_t number,
		     struct request_sleep_callback *callback)
{
	const struct numbered_sleep *items = sleeps->put.items;
	int status = 0;

	for (size_t i = array_partition_point(&sleeps->put, &number,
					      is_put_earlier);
	     !status && i < sleeps->put.count && items[i].number == number; i++)
		status = callback->take(callback, &items[i].is);
	return status;
}

int request_sleeps_visit(const struct request_sleeps *sleeps, uint64_t number,
			 struct request_sleep_callback *callback)
{
	const struct request_way way =
		request_stretches_of(&sleeps->stretches, number);
	int status = 0;

	for (size_t i = 0; !status && i < way.count; i++)
		status = visit_stretch(sleeps, &way, i, callback);
	return status ? status : visit_put(sleeps, number, callback);
}

const struct wakers *request_sleeps_wakers(const struct request_sleeps *sleeps)
{
	return sleeps->put_wakers ? sleeps->put_wakers :
				    task_tracker_wakers(sleeps->tracker);
}

int request_sleeps_put(struct request_sleeps *sleeps, uint64_t number,
		       const struct array *put, const struct wakers *wakers)
{
	sleeps->put_wakers = wakers;
	for (size_t i = 0; i < put->count; i++) {
		const struct request_sleep *sleep = array_at(put, i);

		if (array_append(&sleeps->put, &(struct numbered_sleep){
						       number, *sleep }) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}
