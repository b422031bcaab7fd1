/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_sleeps.h"

#include "attribution/requests/request.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/text/duration_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"
#include "tables/text/stack_text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "common/array.h"
#include "tables/text/table_rows.h"
#include <stdlib.h>

struct numbered_interval {
	uint64_t number; /* of the request */
	struct request_interval is;
};

/* The intervals when threads had requests; for requests without an answer,
 * only those in which the thread slept and did not wait for the next message.
 */
struct request_intervals {
	struct array all; /* struct numbered_interval, by request and start */
};

#define REQUEST_INTERVALS_NONE \
	((struct request_intervals){ ARRAY_OF(struct numbered_interval) })

/* The intervals of one request, by start. */
struct request_way {
	const struct numbered_interval *first;
	size_t count;
};

static inline const struct request_interval *
request_way_at(const struct request_way *way, size_t index)
{
	return &way->first[index].is;
}

static int add(struct request_intervals *intervals, uint64_t number,
	       const struct request_interval *interval)
{
	return array_append(&intervals->all,
			    &(struct numbered_interval){ number, *interval });
}

static int add_asleep(struct request_intervals *intervals, uint64_t number,
		      const struct request_interval *interval)
{
	const struct away_span *away = interval->clock->away.items;
	int status = 0;

	for (size_t i = 0; i < interval->clock->away.count && !status; i++) {
		struct request_interval asleep = *interval;

		if (asleep.begin_ns < away[i].begin_ns)
			asleep.begin_ns = away[i].begin_ns;
		if (asleep.end_ns > away[i].end_ns)
			asleep.end_ns = away[i].end_ns;
		if (away[i].part == PART_ASLEEP &&
		    asleep.begin_ns < asleep.end_ns)
			status = add(intervals, number, &asleep);
	}
	return status;
}

/* Adds the intervals of @request, as a callback received it. Returns 0 or
 * -ERROR_MEMORY.
 */
static int intervals_add(struct request_intervals *intervals,
			 const struct request *request)
{
	struct array way = ARRAY_OF(struct request_interval);
	int status = request_way_of(request, &way);

	for (size_t i = 0; i < way.count && !status; i++) {
		const struct request_interval *interval = array_at(&way, i);

		status = request->is_answered ?
				 add(intervals, request->number, interval) :
				 add_asleep(intervals, request->number,
					    interval);
	}
	array_free(&way);
	return status;
}

/* Sorts the intervals. Must be called after the last was added and before any
 * query.
 */
static void intervals_sort(struct request_intervals *intervals)
{
	array_sort_by(&intervals->all,
		      KEYS(RISING(struct numbered_interval, number),
			   RISING(struct numbered_interval, is.begin_ns)));
}

static struct request_way
intervals_of(const struct request_intervals *intervals, uint64_t number)
{
	const struct numbered_interval *items = intervals->all.items;
	size_t first = array_count_below(
		&intervals->all, KEYS(RISING(struct numbered_interval, number)),
		number);
	size_t end = first;

	while (end < intervals->all.count && items[end].number == number)
		end++;
	return (struct request_way){
		.first = end > first ? items + first : NULL,
		.count = end - first,
	};
}

/* Returns how much of @task's time from @begin_ns to @end_ns is in @interval. */
static uint64_t part_in(const struct request_interval *interval,
			const struct task *task, uint64_t begin_ns,
			uint64_t end_ns)
{
	if (interval->task != task)
		return 0;
	if (begin_ns < interval->begin_ns)
		begin_ns = interval->begin_ns;
	if (end_ns > interval->end_ns)
		end_ns = interval->end_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Returns how much of @task's time from @begin_ns to @end_ns is in interval
 * @index of @way and later ones; 0 if none of it is in interval @index, or if
 * some is in an earlier interval, so that a sleep counts once.
 */
static uint64_t request_way_part(const struct request_way *way, size_t index,
				 const struct task *task, uint64_t begin_ns,
				 uint64_t end_ns)
{
	uint64_t part_ns = 0;

	if (!part_in(request_way_at(way, index), task, begin_ns, end_ns))
		return 0;
	for (size_t i = index; i-- > 0;)
		if (part_in(request_way_at(way, i), task, begin_ns, end_ns))
			return 0;
	for (size_t i = index;
	     i < way->count && request_way_at(way, i)->begin_ns < end_ns; i++)
		part_ns +=
			part_in(request_way_at(way, i), task, begin_ns, end_ns);
	return part_ns;
}

struct request_sleeps {
	struct task_listener listener;
	const struct attribution_input *input;
	const struct task_tracker *tracker;
	struct function_marks *kinds;
	/* struct request_sleep, sorted by task and start at the end */
	struct array naps;
	struct request_intervals intervals;
	/* Sleeps from another pass (struct numbered_sleep), sorted by number at
	 * the end; and their wakers.
	 */
	struct array put;
	const struct wakers *put_wakers;
};

struct numbered_sleep {
	uint64_t number;
	uint64_t place; /* order in which it was put */
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

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
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
	sleeps->listener.slept = consume_sleep;
	sleeps->input = input;
	sleeps->naps = ARRAY_OF(struct request_sleep);
	sleeps->intervals = REQUEST_INTERVALS_NONE;
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
	array_free(&sleeps->intervals.all);
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
	return intervals_add(&sleeps->intervals, request);
}

void request_sleeps_end(struct request_sleeps *sleeps)
{
	array_sort_by(&sleeps->put, KEYS(RISING(struct numbered_sleep, number),
					 RISING(struct numbered_sleep, place)));
	array_sort(&sleeps->naps, compare_naps);
	intervals_sort(&sleeps->intervals);
}

/* Sets the sender of @nap if the thread was woken by a message that an
 * interrupt or a kworker delivered: an interval of @way, from @index on, starts
 * exactly at the wake-up, and its sender is not among the wakers of @nap.
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
		const struct request_interval *interval =
			request_way_at(way, i);

		if (interval->task != nap->task ||
		    interval->begin_ns != end_ns || !interval->waker ||
		    wakers_has(request_sleeps_wakers(sleeps), nap->waker,
			       interval->waker->tid))
			continue;
		nap->sender = interval->waker;
		nap->sender_function = interval->waker_function;
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
	return callback->consume(callback, &part);
}

/* Calls @callback for each sleep that overlaps interval @index of @way, of the
 * interval's thread, but no earlier interval of @way: with the part of the
 * sleep that is in @way.
 */
static int visit_interval(const struct request_sleeps *sleeps,
			  const struct request_way *way, size_t index,
			  struct request_sleep_callback *callback)
{
	const struct request_interval *interval = request_way_at(way, index);
	const struct request_sleep first = { .task = interval->task,
					     .begin_ns = interval->begin_ns };
	const struct request_sleep *naps = sleeps->naps.items;
	size_t i = array_partition_point(&sleeps->naps, &first, is_nap_before);
	int status = 0;

	/* A nap may have started before the interval. */
	if (i)
		i--;
	for (; !status && i < sleeps->naps.count &&
	       naps[i].task->index <= first.task->index &&
	       (naps[i].task != first.task ||
		naps[i].begin_ns < interval->end_ns);
	     i++)
		status = hand_out(sleeps, way, index, &naps[i], callback);
	return status;
}

static int visit_put(const struct request_sleeps *sleeps, uint64_t number,
		     struct request_sleep_callback *callback)
{
	const struct numbered_sleep *items = sleeps->put.items;
	int status = 0;

	for (size_t i = array_count_below(
		     &sleeps->put, KEYS(RISING(struct numbered_sleep, number)),
		     number);
	     !status && i < sleeps->put.count && items[i].number == number; i++)
		status = callback->consume(callback, &items[i].is);
	return status;
}

int request_sleeps_visit(const struct request_sleeps *sleeps, uint64_t number,
			 struct request_sleep_callback *callback)
{
	const struct request_way way = intervals_of(&sleeps->intervals, number);
	int status = 0;

	for (size_t i = 0; !status && i < way.count; i++)
		status = visit_interval(sleeps, &way, i, callback);
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

		const struct numbered_sleep numbered = { number,
							 sleeps->put.count,
							 *sleep };

		if (array_append(&sleeps->put, &numbered) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Maximum number of places and wakers in a row of text. */
enum { MOST_SHOWN = 5 };

/* Sums of the naps of one request. */
struct nap_sums {
	struct request_sleep_callback callback; /* must be first */
	struct array sums;			/* struct request_sleep */
};

static bool is_alike(const struct request_sleep *nap,
		     const struct request_sleep *other)
{
	return nap->label == other->label && nap->fd == other->fd &&
	       nap->waker == other->waker && nap->sender == other->sender;
}

/* Adds a nap to the sum with the same place and waker. */
static bool add_nap(struct array *sums, const struct request_sleep *nap)
{
	struct request_sleep *items = sums->items;
	struct request_sleep *added;

	for (size_t i = 0; i < sums->count; i++)
		if (is_alike(&items[i], nap)) {
			items[i].asleep_ns += nap->asleep_ns;
			return true;
		}
	added = array_add(sums);
	if (added)
		*added = *nap;
	return added;
}

void request_sleep_write_wakers(const struct request_sleeps *sleeps,
				const struct request_sleep *sleep,
				const struct attribution_input *input,
				FILE *out)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);

	wakers_write_any(request_sleeps_wakers(sleeps), sleep->waker,
			 UINT32_MAX, functions, input->names, out);
	if (sleep->sender)
		fprintf(out, " < %s %s",
			task_label_last(input->names, sleep->sender->tid).text,
			function_at(functions, sleep->sender_function)->name);
}

static void write_nap(const struct request_sleeps *sleeps,
		      const struct column_row *row,
		      const struct request_sleep *nap, FILE *out)
{
	const struct function_table *functions =
		symbols_functions(row->input->symbols);

	if (row->is_text)
		fputs(duration_text_of(nap->asleep_ns).text, out);
	else
		fprintf(out, "%" PRIu64, nap->asleep_ns);
	fprintf(out, " %s", sleep_label_name(functions, nap->label));
	if (nap->fd >= 0)
		fprintf(out, " of fd %" PRId32, nap->fd);
	fputs(": ", out);
	request_sleep_write_wakers(sleeps, nap, row->input, out);
}

static int consume_nap(struct request_sleep_callback *callback,
		       const struct request_sleep *nap)
{
	return add_nap(&((struct nap_sums *)callback)->sums, nap) ?
		       0 :
		       -ERROR_MEMORY;
}

bool request_sleeps_write(const struct request_sleeps *sleeps, uint64_t number,
			  const struct column_row *row, FILE *out)
{
	struct nap_sums sums = {
		.callback.consume = consume_nap,
		.sums = ARRAY_OF(struct request_sleep),
	};
	int status = request_sleeps_visit(sleeps, number, &sums.callback);

	array_sort_by(&sums.sums, KEYS(FALLING(struct request_sleep, asleep_ns),
				       RISING(struct request_sleep, begin_ns)));
	for (size_t i = 0;
	     i < sums.sums.count && (i < MOST_SHOWN || !row->is_text); i++) {
		fputs(i ? "; " : "", out);
		write_nap(sleeps, row, array_at(&sums.sums, i), out);
	}
	array_free(&sums.sums);
	return !status;
}
