/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_parts.h"

/* Entries that wait for a cycle count at most: none may ever come, while the
 * CPU sleeps or where the threshold is high.
 */
enum { WAIT_LIMIT = 8192 };

void coresight_resolve(struct coresight *source)
{
	if (source->time != RECORDING_TIME_NANOSECONDS ||
	    !coresight_unit_counts_cycles(source->feed.unit))
		source->resolved = source->entries.count;
	else if (source->entries.count - source->resolved >= WAIT_LIMIT)
		coresight_lose_count(source);
}

/* @cycles went by while the waiting entries ran: evenly by instructions, as far
 * as anybody can tell.
 */
static void share(struct coresight *source, uint64_t cycles)
{
	struct coresight_entry *entries = source->entries.items;
	uint64_t all = source->instructions - source->cycles.counted;
	uint64_t before = 0;
	uint64_t ran = 0;

	for (; source->resolved < source->entries.count; source->resolved++) {
		struct coresight_entry *entry = &entries[source->resolved];

		ran += entry->item.instructions;
		uint64_t after = cycles * ran / all;

		entry->stamp.work = coresight_work(after - before);
		before = after;
	}
}

/* The count is of all up to the end of the last block. */
static void advance(struct coresight *source, uint64_t cycles)
{
	uint64_t now = source->cycles.total + cycles;

	source->cycles.total = now;
	coresight_set_now(source, now);
	source->after_block = (struct flow_stamp){
		.low_ns = now,
		.high_ns = now,
		.known_ns = now,
	};
}

/* Cycles in which nothing ran are what the next block waited. */
static void add_cycles(struct coresight *source, uint64_t cycles)
{
	struct coresight_cycles *counter = &source->cycles;

	counter->carried += cycles;
	if (source->instructions == counter->counted)
		return;
	if (source->time == RECORDING_TIME_CYCLES)
		advance(source, counter->carried);
	else
		share(source, counter->carried);
	counter->carried = 0;
	counter->counted = source->instructions;
}

void coresight_skip_cycles(struct coresight *source, uint32_t cycles)
{
	struct coresight_cycles *counter = &source->cycles;

	if (source->time != RECORDING_TIME_CYCLES)
		return;
	counter->total += counter->carried + cycles;
	counter->carried = 0;
	coresight_set_now(source, counter->total);
}

void coresight_start_cycles(struct coresight *source)
{
	source->cycles.is_known = true;
	source->cycles.total = 1;
	source->cycles.counted = source->instructions;
	coresight_set_now(source, 1);
}

/* Each count of the older units is of the cycles since the packet before.  A
 * clock goes on while nothing is traced.
 */
void coresight_lose_count(struct coresight *source)
{
	struct coresight_cycles *counter = &source->cycles;

	source->resolved = source->entries.count;
	if (source->time == RECORDING_TIME_CYCLES) {
		coresight_skip_cycles(source, 0);
		return;
	}
	counter->is_known = coresight_unit_is_old(source->feed.unit);
	counter->stamped = 0;
	counter->carried = 0;
	counter->counted = source->instructions;
}

/* The counter was full before anything could be written: the CPU slept. */
static void mark_unknown(struct coresight *source)
{
	struct coresight_entry *entries = source->entries.items;

	for (size_t i = source->resolved; i < source->entries.count; i++)
		if (entries[i].item.instructions)
			entries[i].stamp.work = FLOW_WORK_UNKNOWN;
}

void coresight_take_cycles(struct coresight *source, uint32_t cycles)
{
	struct coresight_cycles *counter = &source->cycles;
	bool is_count = cycles || coresight_unit_is_old(source->feed.unit);

	if (!is_count && counter->is_known)
		mark_unknown(source);
	if (is_count && counter->is_known && cycles >= counter->stamped)
		add_cycles(source, cycles - counter->stamped);
	else
		coresight_lose_count(source);
	counter->is_known = true;
	counter->stamped = 0;
}

void coresight_take_stamp_cycles(struct coresight *source, uint32_t cycles)
{
	struct coresight_cycles *counter = &source->cycles;

	if (coresight_unit_is_old(source->feed.unit)) {
		coresight_take_cycles(source, cycles);
	} else if (cycles &&
		   (!counter->is_known || cycles < counter->stamped)) {
		coresight_lose_count(source);
		counter->is_known = true;
		counter->stamped = cycles;
	} else if (cycles) {
		add_cycles(source, cycles - counter->stamped);
		counter->stamped = cycles;
	} else if (source->instructions != counter->counted) {
		coresight_lose_count(source);
	}
}
