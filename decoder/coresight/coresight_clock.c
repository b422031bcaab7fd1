/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_clock.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/coresight/coresight_queue.h"

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

/* A block is written when it ends: the last time stamp may have been taken
 * while it ran. The cycles since the last block limit how long it had run.
 */
static bool may_run_already(const struct coresight_clock *clock,
			    bool is_running)
{
	return clock->time == RECORDING_TIME_NANOSECONDS && clock->known_ns &&
	       is_running;
}

struct flow_stamp coresight_clock_now(struct coresight_clock *clock,
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

/* Earlier items began before @now, later ones begin at @now or after. */
static void set_now(struct coresight_clock *clock, uint64_t now)
{
	coresight_queue_bound(clock->queue, now);
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

bool coresight_clock_take_time(struct coresight_clock *clock, uint64_t time_ns)
{
	if (time_ns < clock->low_ns)
		return false;
	set_now(clock, time_ns);
	return true;
}

void coresight_clock_note_item(struct coresight_clock *clock)
{
	if (clock->time != RECORDING_TIME_NANOSECONDS ||
	    !coresight_unit_counts_cycles(clock->feed->unit))
		coresight_queue_resolve(clock->queue);
	else if (coresight_queue_unresolved(clock->queue) >= WAIT_LIMIT)
		coresight_clock_lose_count(clock);
}

/* The count covers everything up to the end of the last block. */
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

/* If nothing ran, the cycles are the time that the next block waited. */
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

/* Each count of the older units covers the cycles since the previous packet.
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

void coresight_clock_take_cycles(struct coresight_clock *clock, uint32_t cycles)
{
	struct coresight_cycles *counter = &clock->cycles;
	bool is_count = cycles || coresight_unit_is_old(clock->feed->unit);

	if (!is_count && counter->is_known)
		/* The counter overflowed before anything could be written: the
		 * CPU slept.
		 */
		coresight_queue_overrun(clock->queue);
	if (is_count && counter->is_known && cycles >= counter->stamped)
		add_cycles(clock, cycles - counter->stamped);
	else
		coresight_clock_lose_count(clock);
	counter->is_known = true;
	counter->stamped = 0;
}

void coresight_clock_take_stamp_cycles(struct coresight_clock *clock,
				       uint32_t cycles)
{
	struct coresight_cycles *counter = &clock->cycles;

	if (coresight_unit_is_old(clock->feed->unit)) {
		coresight_clock_take_cycles(clock, cycles);
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
