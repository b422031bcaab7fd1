/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/items_internal.h"

#include "decoder/coresight/feed_internal.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording.h"

struct coresight_entry {
	struct flow_item item;
	struct flow_stamp stamp;
};

struct coresight_queue coresight_queue_new(void)
{
	return (struct coresight_queue){
		.entries = ARRAY_OF(struct coresight_entry),
	};
}

void coresight_queue_free(struct coresight_queue *queue)
{
	array_free(&queue->entries);
}

int coresight_queue_add(struct coresight_queue *queue,
			const struct flow_item *item,
			const struct flow_stamp *stamp)
{
	const struct coresight_entry entry = { *item, *stamp };

	return array_append(&queue->entries, &entry);
}

struct flow_item *coresight_queue_last(const struct coresight_queue *queue)
{
	struct coresight_entry *entry;

	if (!queue->entries.count)
		return NULL;
	entry = array_at(&queue->entries, queue->entries.count - 1);
	return &entry->item;
}

size_t coresight_queue_unresolved(const struct coresight_queue *queue)
{
	return queue->entries.count - queue->resolved;
}

void coresight_queue_resolve(struct coresight_queue *queue)
{
	queue->resolved = queue->entries.count;
}

static void queue_overrun(const struct coresight_queue *queue)
{
	struct coresight_entry *entries = queue->entries.items;

	for (size_t i = queue->resolved; i < queue->entries.count; i++)
		if (entries[i].item.instructions)
			entries[i].stamp.work = FLOW_WORK_UNKNOWN;
}

uint32_t coresight_work(uint64_t cycles)
{
	return cycles < FLOW_WORK_UNKNOWN ? (uint32_t)cycles :
					    FLOW_WORK_UNKNOWN - 1;
}

void coresight_queue_share(struct coresight_queue *queue, uint64_t cycles,
			   uint64_t instructions)
{
	struct coresight_entry *entries = queue->entries.items;
	uint64_t before = 0;
	uint64_t ran = 0;

	for (; queue->resolved < queue->entries.count; queue->resolved++) {
		struct coresight_entry *entry = &entries[queue->resolved];

		ran += entry->item.instructions;
		uint64_t after = cycles * ran / instructions;

		entry->stamp.work = coresight_work(after - before);
		before = after;
	}
}

/* Sets @high_ns as the upper bound of the start of all items. */
static void queue_bound(struct coresight_queue *queue, uint64_t high_ns)
{
	struct coresight_entry *entries = queue->entries.items;

	for (; queue->bounded < queue->entries.count; queue->bounded++) {
		struct flow_stamp *stamp = &entries[queue->bounded].stamp;

		if (stamp->high_ns == UINT64_MAX)
			stamp->high_ns = high_ns;
	}
}

bool coresight_queue_is_empty(const struct coresight_queue *queue)
{
	return !queue->entries.count;
}

/* Returns the number of finished entries: those that wait for no count, except
 * the last one, which later elements may change.
 */
static size_t finished(const struct coresight_queue *queue, bool is_whole)
{
	size_t count = queue->entries.count;

	if (is_whole || !count)
		return count;
	return queue->resolved < count ? queue->resolved : count - 1;
}

bool coresight_queue_is_ready(const struct coresight_queue *queue,
			      bool is_whole)
{
	return finished(queue, is_whole);
}

static void move(const struct coresight_entry *entry, struct flow_batch *batch)
{
	struct flow_stamp *stamp;

	*flow_batch_next(batch, &stamp) = entry->item;
	*stamp = entry->stamp;
	flow_batch_add(batch);
}

static size_t less(size_t count, size_t done)
{
	return count > done ? count - done : 0;
}

void coresight_queue_drain(struct coresight_queue *queue,
			   struct flow_batch *batch, bool is_whole)
{
	struct coresight_entry *entries = queue->entries.items;
	size_t count = queue->entries.count;
	size_t ready = finished(queue, is_whole);
	size_t done = 0;

	while (done < ready && flow_batch_has_room(batch))
		move(&entries[done++], batch);
	for (size_t i = done; i < count; i++)
		entries[i - done] = entries[i];
	queue->entries.count -= done;
	queue->resolved = less(queue->resolved, done);
	queue->bounded = less(queue->bounded, done);
}

/* Maximum number of items that wait for a cycle count: there may be none while
 * the CPU sleeps or if the threshold is high.
 */
enum { WAIT_LIMIT = 8192 };

static struct flow_stamp
stamp_of_instructions(const struct coresight_clock *clock)
{
	return (struct flow_stamp){
		.low_ns = clock->instructions,
		.high_ns = clock->instructions,
		.known_ns = clock->instructions,
	};
}

/* Returns whether the next block may have started before the last time stamp:
 * its atom is written when it ends. The cycles since the last block limit how
 * long before.
 */
static bool may_run_already(const struct coresight_clock *clock,
			    bool is_running)
{
	return clock->time == RECORDING_TIME_NANOSECONDS && clock->known_ns &&
	       is_running;
}

/* Returns the current time bounds. @is_running: for a block that continues the
 * last one, else for another item.
 */
static struct flow_stamp clock_now(struct coresight_clock *clock,
				   bool is_running)
{
	struct flow_stamp stamp = {
		.low_ns = clock->low_ns,
		.high_ns = UINT64_MAX,
		.known_ns = clock->known_ns,
	};

	if (may_run_already(clock, is_running)) {
		stamp.low_ns = clock->after_block.low_ns;
		stamp.done = coresight_work(clock->cycles.carried);
	}
	clock->known_ns = 0;
	return clock->time == RECORDING_TIME_INSTRUCTIONS ?
		       stamp_of_instructions(clock) :
		       stamp;
}

struct flow_stamp
coresight_clock_after_block(const struct coresight_clock *clock)
{
	return clock->time == RECORDING_TIME_INSTRUCTIONS ?
		       stamp_of_instructions(clock) :
		       clock->after_block;
}

void coresight_clock_run(struct coresight_clock *clock, uint32_t count)
{
	clock->instructions += count;
	clock->after_block = (struct flow_stamp){
		.low_ns = clock->low_ns,
		.high_ns = UINT64_MAX,
	};
}

/* Records that the time is @now: earlier items began before it, later ones
 * begin at @now or after.
 */
static void set_now(struct coresight_clock *clock, uint64_t now)
{
	queue_bound(clock->queue, now);
	flow_batch_bound(clock->batch, now);
	if (clock->after_block.high_ns == UINT64_MAX)
		clock->after_block.high_ns = now;
	clock->low_ns = now;
	clock->known_ns = now;
}

void coresight_clock_start(struct coresight_clock *clock)
{
	clock->instructions = 1;
	if (clock->time != RECORDING_TIME_CYCLES)
		return;
	clock->cycles.is_known = true;
	clock->cycles.total = 1;
	clock->cycles.counted = clock->instructions;
	set_now(clock, 1);
}

bool coresight_clock_consume_time(struct coresight_clock *clock,
				  uint64_t time_ns)
{
	if (time_ns < clock->low_ns)
		return false;
	set_now(clock, time_ns);
	return true;
}

/* Must be called after an item was added to the queue: it may have to wait for
 * a count.
 */
static void clock_note_item(struct coresight_clock *clock)
{
	if (clock->time != RECORDING_TIME_NANOSECONDS ||
	    !coresight_unit_counts_cycles(clock->feed->unit))
		coresight_queue_resolve(clock->queue);
	else if (coresight_queue_unresolved(clock->queue) >= WAIT_LIMIT)
		coresight_clock_lose_count(clock);
}

/* Advances the time, in a trace timed by cycles, by @cycles, which cover
 * everything up to the end of the last block.
 */
static void advance(struct coresight_clock *clock, uint64_t cycles)
{
	uint64_t now = clock->cycles.total + cycles;

	clock->cycles.total = now;
	set_now(clock, now);
	clock->after_block = (struct flow_stamp){
		.low_ns = now,
		.high_ns = now,
		.known_ns = now,
	};
}

/* Applies a count to what ran since the last count. If nothing ran, the cycles
 * are the time that the next block waited.
 */
static void add_cycles(struct coresight_clock *clock, uint64_t cycles)
{
	struct coresight_cycles *counter = &clock->cycles;

	counter->carried += cycles;
	if (clock->instructions == counter->counted)
		return;
	if (clock->time == RECORDING_TIME_CYCLES)
		advance(clock, counter->carried);
	else
		coresight_queue_share(clock->queue, counter->carried,
				      clock->instructions - counter->counted);
	counter->carried = 0;
	counter->counted = clock->instructions;
}

void coresight_clock_skip_cycles(struct coresight_clock *clock, uint32_t cycles)
{
	struct coresight_cycles *counter = &clock->cycles;

	if (clock->time != RECORDING_TIME_CYCLES)
		return;
	counter->total += counter->carried + cycles;
	counter->carried = 0;
	set_now(clock, counter->total);
}

/* In the older units, each count covers the cycles since the previous packet.
 * The clock continues while nothing is traced.
 */
void coresight_clock_lose_count(struct coresight_clock *clock)
{
	struct coresight_cycles *counter = &clock->cycles;

	coresight_queue_resolve(clock->queue);
	if (clock->time == RECORDING_TIME_CYCLES) {
		coresight_clock_skip_cycles(clock, 0);
		return;
	}
	counter->is_known = coresight_unit_is_old(clock->feed->unit);
	counter->stamped = 0;
	counter->carried = 0;
	counter->counted = clock->instructions;
}

void coresight_clock_consume_cycles(struct coresight_clock *clock,
				    uint32_t cycles)
{
	struct coresight_cycles *counter = &clock->cycles;
	bool is_count = cycles || coresight_unit_is_old(clock->feed->unit);

	if (!is_count && counter->is_known)
		/* The counter overflowed before anything could be written: the
		 * CPU slept.
		 */
		queue_overrun(clock->queue);
	if (is_count && counter->is_known && cycles >= counter->stamped)
		add_cycles(clock, cycles - counter->stamped);
	else
		coresight_clock_lose_count(clock);
	counter->is_known = true;
	counter->stamped = 0;
}

void coresight_clock_consume_stamp_cycles(struct coresight_clock *clock,
					  uint32_t cycles)
{
	struct coresight_cycles *counter = &clock->cycles;

	if (coresight_unit_is_old(clock->feed->unit)) {
		coresight_clock_consume_cycles(clock, cycles);
	} else if (cycles &&
		   (!counter->is_known || cycles < counter->stamped)) {
		coresight_clock_lose_count(clock);
		counter->is_known = true;
		counter->stamped = cycles;
	} else if (cycles) {
		add_cycles(clock, cycles - counter->stamped);
		counter->stamped = cycles;
	} else if (clock->instructions != counter->counted) {
		coresight_clock_lose_count(clock);
	}
}

void coresight_items_emit_at(struct coresight_items *items,
			     const struct flow_item *item,
			     const struct flow_stamp *stamp)
{
	int error = coresight_queue_add(&items->queue, item, stamp);

	if (error)
		items->error = error;
	else
		clock_note_item(&items->clock);
}

void coresight_items_emit(struct coresight_items *items,
			  const struct flow_item *item)
{
	const struct flow_stamp stamp = clock_now(
		&items->clock, items->is_running && item->kind == FLOW_BLOCK);

	coresight_items_emit_at(items, item, &stamp);
}

struct flow_item *
coresight_items_last_block(const struct coresight_items *items)
{
	struct flow_item *last = coresight_queue_last(&items->queue);

	return last && last->kind == FLOW_BLOCK ? last : NULL;
}

void coresight_items_open_gap(struct coresight_items *items, uint8_t reason,
			      uint64_t position)
{
	if (items->gap.is_open && items->gap.reason != reason)
		coresight_items_close_gap(items, position);
	if (!items->gap.is_open)
		items->gap = (struct coresight_gap){
			.is_open = true,
			.reason = reason,
			.position = position,
			.stamp = coresight_clock_after_block(&items->clock),
		};
	items->is_running = false;
	coresight_clock_lose_count(&items->clock);
}

void coresight_items_close_gap(struct coresight_items *items, uint64_t position)
{
	const struct coresight_gap *gap = &items->gap;
	uint64_t size = position > gap->position ? position - gap->position : 0;

	if (!gap->is_open)
		return;
	items->gap.is_open = false;
	coresight_items_emit_at(
		items,
		&(struct flow_item){
			.kind = FLOW_GAP,
			.detail = gap->reason & 0xf,
			.ip = gap->position,
			.last = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
		},
		&gap->stamp);
}
