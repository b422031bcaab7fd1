/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow_batch.h"
#include "decoder/flow/cycle_rate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROOM = 32 * 1024,
	/* With this many finished items there is no room for more, so that they
	 * are consumed while they are in the CPU's cache.
	 */
	ENOUGH = 2048,
};

struct flow_batch {
	struct flow_item items[ROOM + FLOW_BATCH_SPARE];
	struct flow_stamp stamps[ROOM + FLOW_BATCH_SPARE];
	size_t count;
	size_t finished;   /* number of items with their times */
	size_t taken;	   /* number of items already consumed */
	uint64_t last_ns;  /* of the last finished item */
	uint64_t known_ns; /* the last known time */
	/* the rate of work; its work is that of the items since known_ns */
	struct cycle_rate speed;
	flow_slow_fn *is_slow;
	void *ctx;
};

struct flow_batch *flow_batch_new(flow_slow_fn *is_slow, void *ctx)
{
	struct flow_batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	batch->speed = cycle_rate_new();
	batch->is_slow = is_slow;
	batch->ctx = ctx;
	return batch;
}

void flow_batch_free(struct flow_batch *batch)
{
	free(batch);
}

bool flow_batch_has_room(const struct flow_batch *batch)
{
	return batch->count - batch->taken < ROOM &&
	       flow_batch_finished(batch) < ENOUGH;
}

static uint32_t bound(uint64_t from, uint64_t to, bool is_bounded)
{
	if (!is_bounded || to - from >= FLOW_NO_BOUND)
		return FLOW_NO_BOUND;
	return (uint32_t)(to - from);
}

static void finish(struct flow_batch *batch, struct flow_item *item,
		   const struct flow_stamp *stamp, uint64_t time_ns)
{
	uint64_t low_ns = stamp->low_ns;
	uint64_t high_ns = stamp->high_ns;

	if (time_ns > high_ns)
		time_ns = high_ns;
	if (time_ns < low_ns)
		time_ns = low_ns;
	if (time_ns < batch->last_ns)
		time_ns = batch->last_ns;
	batch->last_ns = time_ns;
	item->time_ns = time_ns;
	item->early_ns = low_ns > time_ns ? 0 : bound(low_ns, time_ns, low_ns);
	item->late_ns = high_ns < time_ns ?
				0 :
				bound(time_ns, high_ns, high_ns != UINT64_MAX);
}

static bool is_counted(const struct flow_stamp *stamp)
{
	return stamp->work && stamp->work != FLOW_WORK_UNKNOWN;
}

static uint64_t work_of(const struct flow_item *item,
			const struct flow_stamp *stamp)
{
	return is_counted(stamp) ? stamp->work : item->instructions;
}

/* Marks a slow item between two known times: its known_ns has this value. That
 * of other such items is 0.
 */
#define MARKED_SLOW 1

static bool can_wait(const struct flow_item *item)
{
	return item->kind == FLOW_BLOCK || item->kind == FLOW_STOP;
}

/* Returns whether @item may have taken long. How much ran in a gap, and for how
 * long, is unknown.
 */
static bool may_be_slow(struct flow_batch *batch, const struct flow_item *item,
			const struct flow_stamp *stamp)
{
	return item->kind == FLOW_GAP || stamp->work == FLOW_WORK_UNKNOWN ||
	       (can_wait(item) && batch->is_slow(batch->ctx, item));
}

/* Marks the slow items up to @end and returns their number. */
static uint64_t mark_slow(struct flow_batch *batch, size_t end)
{
	uint64_t count = 0;

	for (size_t i = batch->finished; i < end; i++) {
		struct flow_stamp *stamp = &batch->stamps[i];
		bool slow = may_be_slow(batch, &batch->items[i], stamp);

		stamp->known_ns = slow ? MARKED_SLOW : 0;
		count += slow;
	}
	return count;
}

static uint64_t usual_ns(const struct flow_batch *batch)
{
	return cycle_rate_ns(&batch->speed, batch->speed.work);
}

/* Returns the extra time of each slow item up to @end: @span_ns minus the usual
 * time of the span's work, in equal parts. Returns 0 if the span is not
 * unusually long, or no item is slow.
 */
static uint64_t slow_share(struct flow_batch *batch, size_t end,
			   uint64_t span_ns)
{
	uint64_t usual = usual_ns(batch);

	if (span_ns < cycle_rate_longest_ns(&batch->speed))
		return 0;

	uint64_t slow = mark_slow(batch, end);

	return slow ? (span_ns - usual) / slow : 0;
}

/* Interpolates the waiting items over @span_ns from the last known time on: in
 * proportion to their work, except for time that only slow items can have
 * taken.
 */
static void interpolate(struct flow_batch *batch, size_t end, uint64_t span_ns)
{
	uint64_t total = batch->speed.work ? batch->speed.work : 1;
	uint64_t share_ns = slow_share(batch, end, span_ns);
	uint64_t even_ns = share_ns ? usual_ns(batch) : span_ns;
	double step = (double)even_ns / (double)total;
	uint64_t done = 0;
	uint64_t slow_ns = 0;

	for (; batch->finished < end; batch->finished++) {
		struct flow_item *item = &batch->items[batch->finished];
		const struct flow_stamp *stamp =
			&batch->stamps[batch->finished];
		uint64_t time_ns = batch->known_ns + slow_ns +
				   (uint64_t)((double)done * step);

		finish(batch, item, stamp, time_ns);
		done += work_of(item, stamp);
		if (share_ns && stamp->known_ns == MARKED_SLOW)
			slow_ns += share_ns;
	}
}

/* Returns the time from which the items before the first known time are
 * interpolated: their lower bound, at most @known_ns.
 */
static uint64_t first_low(const struct flow_batch *batch, uint64_t known_ns)
{
	uint64_t low_ns = batch->stamps[batch->finished].low_ns;

	return low_ns && low_ns < known_ns ? low_ns : known_ns;
}

static uint64_t known_ns_of(const struct flow_batch *batch,
			    const struct flow_stamp *stamp)
{
	uint64_t done_ns = cycle_rate_ns(&batch->speed, stamp->done);

	return stamp->known_ns - stamp->low_ns > done_ns ?
		       stamp->known_ns - done_ns :
		       stamp->low_ns;
}

static void finish_known(struct flow_batch *batch, size_t index)
{
	const struct flow_stamp *stamp = &batch->stamps[index];
	uint64_t known_ns = stamp->done ? known_ns_of(batch, stamp) :
					  stamp->known_ns;
	uint64_t span_ns = 0;

	if (!batch->known_ns)
		batch->known_ns = first_low(batch, known_ns);
	if (known_ns > batch->known_ns)
		span_ns = known_ns - batch->known_ns;
	interpolate(batch, index, span_ns);
	cycle_rate_learn(&batch->speed, span_ns);
	batch->known_ns = known_ns;
	cycle_rate_begin(&batch->speed);
}

static void drop_taken(struct flow_batch *batch)
{
	size_t left = batch->count - batch->taken;

	memmove(batch->items, batch->items + batch->taken,
		left * sizeof(*batch->items));
	memmove(batch->stamps, batch->stamps + batch->taken,
		left * sizeof(*batch->stamps));
	batch->count = left;
	batch->finished -= batch->taken;
	batch->taken = 0;
}

struct flow_item *flow_batch_next(struct flow_batch *batch,
				  struct flow_stamp **stamp)
{
	if (batch->taken)
		drop_taken(batch);
	assert(batch->count < ROOM + FLOW_BATCH_SPARE);
	*stamp = &batch->stamps[batch->count];
	return &batch->items[batch->count];
}

static void add_work(struct flow_batch *batch, size_t index)
{
	const struct flow_stamp *stamp = &batch->stamps[index];
	uint64_t work = work_of(&batch->items[index], stamp);

	batch->speed.is_slow |= may_be_slow(batch, &batch->items[index], stamp);
	batch->speed.work += work;
	if (is_counted(stamp))
		batch->speed.counted += work;
}

void flow_batch_add(struct flow_batch *batch)
{
	size_t index = batch->count++;

	if (batch->stamps[index].known_ns)
		finish_known(batch, index);
	add_work(batch, index);
}

void flow_batch_bound(struct flow_batch *batch, uint64_t high_ns)
{
	for (size_t i = batch->finished; i < batch->count; i++)
		if (batch->stamps[i].high_ns == UINT64_MAX)
			batch->stamps[i].high_ns = high_ns;
}

/* Uses the rate measured so far, because there is no later known time. */
void flow_batch_flush(struct flow_batch *batch)
{
	interpolate(batch, batch->count, usual_ns(batch));
	batch->known_ns = batch->last_ns;
	cycle_rate_begin(&batch->speed);
}

/* Returns the time from which on switch records are after @item. */
static uint64_t from_ns(const struct flow_item *item)
{
	return item->kind == FLOW_STOP ?
		       flow_stop_from_ns(item->detail, item->time_ns,
					 item->early_ns) :
		       item->time_ns;
}

bool flow_batch_insert(struct flow_batch *batch, const struct flow_item *item)
{
	if (batch->taken)
		drop_taken(batch);
	if (batch->count == ROOM + FLOW_BATCH_SPARE)
		return false;

	size_t at = batch->finished;

	/* Switches are inserted in order, and an earlier switch may have been
	 * moved to a later time, so @item never goes before another switch.
	 */
	while (at && batch->items[at - 1].kind != FLOW_SWITCH &&
	       from_ns(&batch->items[at - 1]) > item->time_ns)
		at--;
	memmove(batch->items + at + 1, batch->items + at,
		(batch->count - at) * sizeof(*item));
	memmove(batch->stamps + at + 1, batch->stamps + at,
		(batch->count - at) * sizeof(*batch->stamps));
	batch->items[at] = *item;
	if (at)
		flow_item_keep_order(&batch->items[at],
				     batch->items[at - 1].time_ns,
				     batch->items[at - 1].late_ns);
	batch->count++;
	batch->finished++;
	if (item->time_ns > batch->last_ns)
		batch->last_ns = item->time_ns;
	return true;
}

size_t flow_batch_finished(const struct flow_batch *batch)
{
	return batch->finished - batch->taken;
}

uint64_t flow_batch_last_ns(const struct flow_batch *batch)
{
	return batch->last_ns;
}

size_t flow_batch_consume(struct flow_batch *batch,
			  const struct flow_item **items)
{
	size_t count = flow_batch_finished(batch);

	*items = batch->items + batch->taken;
	batch->taken = batch->finished;
	return count;
}
