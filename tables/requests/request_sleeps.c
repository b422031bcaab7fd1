/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_sleeps.h"

#include "attribution/requests/message_kinds.h"
#include "attribution/requests/request.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/wakers.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"

#include <stdlib.h>

/* A stretch of a thread's life on the way of request number; of one without an
 * answer, where it slept and did not wait for the next message.
 */
struct numbered_stretch {
	uint64_t number;
	struct request_stretch is;
};

struct request_sleeps {
	struct task_listener listener;
	const struct attribution_input *input;
	const struct task_tracker *tracker;
	struct function_marks *kinds;
	struct array naps; /* struct request_sleep, by task and begin at the
				 * end */
	struct array stretches; /* struct numbered_stretch, by number then */
	/* Of another pass: struct numbered_sleep, by number, and who woke. */
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
	sleeps->stretches = ARRAY_OF(struct numbered_stretch);
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
	array_free(&sleeps->stretches);
	array_free(&sleeps->put);
	free(sleeps);
}

static int add_stretch(struct request_sleeps *sleeps, uint64_t number,
		       const struct request_stretch *stretch)
{
	return array_append(&sleeps->stretches,
			    &(struct numbered_stretch){ number, *stretch });
}

static int add_asleep(struct request_sleeps *sleeps, uint64_t number,
		      const struct request_stretch *stretch)
{
	const struct away_span *away = stretch->clock->away.items;
	int status = 0;

	for (size_t i = 0; i < stretch->clock->away.count && !status; i++) {
		struct request_stretch asleep = *stretch;

		if (asleep.begin_ns < away[i].begin_ns)
			asleep.begin_ns = away[i].begin_ns;
		if (asleep.end_ns > away[i].end_ns)
			asleep.end_ns = away[i].end_ns;
		if (away[i].part == PART_ASLEEP &&
		    asleep.begin_ns < asleep.end_ns)
			status = add_stretch(sleeps, number, &asleep);
	}
	return status;
}

int request_sleeps_add(struct request_sleeps *sleeps,
		       const struct request *request)
{
	struct array way = ARRAY_OF(struct request_stretch);
	int status = request_way_of(request, &way);

	for (size_t i = 0; i < way.count && !status; i++) {
		const struct request_stretch *stretch = array_at(&way, i);

		status = request->is_answered ?
				 add_stretch(sleeps, request->number, stretch) :
				 add_asleep(sleeps, request->number, stretch);
	}
	array_free(&way);
	return status;
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

static int compare_stretches(const void *a, const void *b)
{
	const struct numbered_stretch *x = a;
	const struct numbered_stretch *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->is.begin_ns < y->is.begin_ns ?
		       -1 :
		       x->is.begin_ns > y->is.begin_ns;
}

void request_sleeps_end(struct request_sleeps *sleeps)
{
	array_sort(&sleeps->naps, compare_naps);
	array_sort(&sleeps->stretches, compare_stretches);
}

static bool is_of_earlier(const void *stretch, const void *number)
{
	return ((const struct numbered_stretch *)stretch)->number <
	       *(const uint64_t *)number;
}

/* Returns how much of @nap is in @stretch. */
static uint64_t part_of(const struct request_sleep *nap,
			const struct request_stretch *stretch)
{
	uint64_t begin_ns = nap->off_ns;
	uint64_t end_ns = begin_ns + nap->asleep_ns;

	if (stretch->task != nap->task)
		return 0;
	if (begin_ns < stretch->begin_ns)
		begin_ns = stretch->begin_ns;
	if (end_ns > stretch->end_ns)
		end_ns = stretch->end_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Returns how much of @nap is in stretch @index and the later ones of its
 * request; 0 if there is some in an earlier one.
 */
static uint64_t part_from(const struct request_sleeps *sleeps, size_t index,
			  const struct request_sleep *nap)
{
	const struct numbered_stretch *items = sleeps->stretches.items;
	uint64_t number = items[index].number;
	uint64_t part_ns = 0;

	for (size_t i = index; i-- > 0 && items[i].number == number;)
		if (part_of(nap, &items[i].is))
			return 0;
	for (size_t i = index;
	     i < sleeps->stretches.count && items[i].number == number &&
	     items[i].is.begin_ns < nap->off_ns + nap->asleep_ns;
	     i++)
		part_ns += part_of(nap, &items[i].is);
	return part_ns;
}

/* An interrupt or a kworker woke @nap's thread, for whoever sent what it brought:
 * that is known of a stretch on the same way, from stretch @index on.
 */
static void find_sender(const struct request_sleeps *sleeps, size_t index,
			struct request_sleep *nap, uint64_t end_ns)
{
	const struct numbered_stretch *items = sleeps->stretches.items;
	uint64_t number = items[index].number;

	if (nap->waker == WAKER_NONE)
		return;
	for (size_t i = index;
	     i < sleeps->stretches.count && items[i].number == number &&
	     items[i].is.begin_ns <= end_ns;
	     i++) {
		if (items[i].is.task != nap->task ||
		    items[i].is.begin_ns != end_ns || !items[i].is.waker ||
		    wakers_has(request_sleeps_wakers(sleeps), nap->waker,
			       items[i].is.waker->tid))
			continue;
		nap->sender = items[i].is.waker;
		nap->sender_function = items[i].is.waker_function;
	}
}

static int hand_out(const struct request_sleeps *sleeps, size_t index,
		    const struct request_sleep *nap,
		    struct request_sleep_callback *callback)
{
	const struct numbered_stretch *stretch =
		array_at(&sleeps->stretches, index);
	struct request_sleep part = *nap;

	if (!part_of(nap, &stretch->is))
		return 0;
	part.asleep_ns = part_from(sleeps, index, nap);
	find_sender(sleeps, index, &part, nap->off_ns + nap->asleep_ns);
	return part.asleep_ns ? callback->take(callback, &part) : 0;
}

/* Hands out what of its thread's naps is in stretch @index, and in none before.
 */
static int visit_stretch(const struct request_sleeps *sleeps, size_t index,
			 struct request_sleep_callback *callback)
{
	const struct request_stretch *stretch =
		&((const struct numbered_stretch *)array_at(&sleeps->stretches,
							    index))
			 ->is;
	const struct request_sleep first = { .task = stretch->task,
					     .begin_ns = stretch->begin_ns };
	const struct request_sleep *naps = sleeps->naps.items;
	size_t i = array_partition_point(&sleeps->naps, &first, is_nap_before);
	int status = 0;

	/* It may have fallen asleep before. */
	if (i)
		i--;
	for (;
	     !status && i < sleeps->naps.count &&
	     naps[i].task->index <= first.task->index &&
	     (naps[i].task != first.task || naps[i].begin_ns < stretch->end_ns);
	     i++)
		status = hand_out(sleeps, index, &naps[i], callback);
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
	const struct numbered_stretch *items = sleeps->stretches.items;
	int status = 0;

	for (size_t i = array_partition_point(&sleeps->stretches, &number,
					      is_of_earlier);
	     !status && i < sleeps->stretches.count &&
	     items[i].number == number;
	     i++)
		status = visit_stretch(sleeps, i, callback);
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
