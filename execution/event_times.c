/* SPDX-License-Identifier: MIT */
#include "execution/event_times.h"
#include "execution/block_graph.h"

#include <string.h>

void event_times_init(struct event_times *times)
{
	times->count = 0;
	times->finished = 0;
	times->last_ns = 0;
	times->known_ns = 0;
	times->work = 0;
	times->pace = INSTRUCTION_PACE_FIRST;
}

static uint64_t instructions_of(uint64_t work)
{
	return work & (BLOCK_WORK_SLOW - 1);
}

static uint64_t slow_blocks_of(uint64_t work)
{
	return work / BLOCK_WORK_SLOW;
}

static uint32_t bound(uint64_t from, uint64_t to, bool is_bounded)
{
	if (!is_bounded || to - from >= FLOW_NO_BOUND)
		return FLOW_NO_BOUND;
	return (uint32_t)(to - from);
}

static void finish(struct event_times *times, size_t index, uint64_t time_ns)
{
	union timed_record *record = &times->records[index];
	uint64_t low_ns = times->stamps[index].low_ns;
	uint64_t high_ns = times->stamps[index].high_ns;

	if (time_ns > high_ns)
		time_ns = high_ns;
	if (time_ns < low_ns)
		time_ns = low_ns;
	if (time_ns < times->last_ns)
		time_ns = times->last_ns;
	times->last_ns = time_ns;
	record->time_ns = time_ns;
	record->early_ns = low_ns > time_ns ? 0 :
			   bound(low_ns, time_ns, low_ns);
	record->late_ns = high_ns < time_ns ? 0 :
			  bound(time_ns, high_ns, high_ns != UINT64_MAX);
}

static uint64_t usual_ns(const struct event_times *times)
{
	return instruction_pace_ns(&times->pace, instructions_of(times->work));
}

/* Returns how much of @span_ns each slow block took on top of its work; 0 if
 * the span is usual or none is slow.
 */
static uint64_t slow_share(const struct event_times *times, uint64_t span_ns)
{
	uint64_t slow = slow_blocks_of(times->work);

	if (!slow || span_ns < instruction_pace_longest_ns(
				       &times->pace,
				       instructions_of(times->work)))
		return 0;
	return (span_ns - usual_ns(times)) / slow;
}

/* Interpolates the waiting records over @span_ns from the last known time on:
 * evenly by their work, but for what only slow blocks can have taken.
 */
static void interpolate(struct event_times *times, uint64_t span_ns)
{
	uint64_t total = instructions_of(times->work);
	uint64_t share_ns = slow_share(times, span_ns);
	uint64_t even_ns = share_ns ? usual_ns(times) : span_ns;
	double step = (double)even_ns / (double)(total ? total : 1);

	for (; times->finished < times->count; times->finished++) {
		uint64_t work = times->stamps[times->finished].work;
		uint64_t done = instructions_of(work);

		finish(times, times->finished,
		       times->known_ns + slow_blocks_of(work) * share_ns +
			       (uint64_t)((double)done * step));
	}
}

/* Until the first time is known, the first record's bound must do. */
static uint64_t first_ns(const struct event_times *times, uint64_t known_ns)
{
	uint64_t low_ns = times->finished < times->count ?
			  times->stamps[times->finished].low_ns : 0;

	return low_ns && low_ns < known_ns ? low_ns : known_ns;
}

void event_times_know(struct event_times *times, uint64_t known_ns)
{
	uint64_t span_ns = 0;

	if (!times->known_ns)
		times->known_ns = first_ns(times, known_ns);
	if (known_ns > times->known_ns)
		span_ns = known_ns - times->known_ns;
	if (times->finished < times->count)
		interpolate(times, span_ns);
	instruction_pace_add(&times->pace,
			     slow_blocks_of(times->work) ? 0 : times->work,
			     span_ns);
	times->known_ns = known_ns;
	times->work = 0;
	if (known_ns > times->last_ns)
		times->last_ns = known_ns;
}

/* Without a known time ahead the usual pace is the best guess. */
void event_times_settle(struct event_times *times)
{
	interpolate(times, usual_ns(times));
	times->known_ns = times->last_ns;
	times->work = 0;
}

void event_times_drop(struct event_times *times)
{
	size_t left = times->count - times->finished;

	memmove(times->records, times->records + times->finished,
		left * sizeof(*times->records));
	memmove(times->stamps, times->stamps + times->finished,
		left * sizeof(*times->stamps));
	times->count = left;
	times->finished = 0;
}
