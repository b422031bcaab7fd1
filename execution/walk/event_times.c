/* SPDX-License-Identifier: MIT */
#include "execution/walk/event_times_internal.h"

#include "execution/graph/block.h"

#include <assert.h>
#include <string.h>

_Static_assert(sizeof(union timed_record) == 32, "records are hot");

/* Adds a record that starts @work after the last known time, within @bounds;
 * the caller fills in all fields after its times. Requires room.
 */
static inline union timed_record *
event_times_put(struct event_times *times, uint64_t work, uint32_t bounds)
{
	union timed_record *record = &times->records[times->count++];

	record->time_ns = work;
	record->early_ns = bounds;
	record->late_ns = 0;
	return record;
}

enum {
	/* a rate measured over fewer is not reliable enough to be used for the
	 * next interval
	 */
	ENOUGH_INSTRUCTIONS = 4096,
	/* enough to use the rate while there is no other one */
	SOME_INSTRUCTIONS = 256,
	/* without a measurement: four instructions per nanosecond */
	UNMEASURED_RATE = 65536 / 4,
};

/* Up to 2^40 ns the sum can be shifted without overflow. */
#define LONGEST_SUM_NS ((uint64_t)1 << 40)

static uint64_t measured_rate(const struct instruction_pace *pace)
{
	return (pace->sum_ns << 16) / pace->sum_instructions;
}

uint64_t instruction_pace_first_rate(const struct instruction_pace *pace)
{
	if (pace->sum_instructions < SOME_INSTRUCTIONS || !pace->sum_ns ||
	    pace->sum_ns >= LONGEST_SUM_NS)
		return UNMEASURED_RATE;
	return measured_rate(pace);
}

void instruction_pace_sync(struct instruction_pace *pace)
{
	if (pace->sum_instructions >= ENOUGH_INSTRUCTIONS && pace->sum_ns &&
	    pace->sum_ns < LONGEST_SUM_NS)
		pace->rate = measured_rate(pace);
	pace->sum_ns = 0;
	pace->sum_instructions = 0;
	pace->is_across = true;
}

void event_times_init(struct event_times *times)
{
	times->count = 0;
	times->finished = 0;
	times->written = 0;
	times->room = NULL;
	times->elsewhere = 0;
	times->bounds_count = 0;
	times->span_count = 0;
	times->last_ns = 0;
	times->known_ns = 0;
	times->work = 0;
	times->pace = INSTRUCTION_PACE_FIRST;
}

/* Returns the distance from @from to @to, which is not earlier, if less than
 * FLOW_NO_BOUND; else FLOW_NO_BOUND.
 */
static inline uint32_t distance(uint64_t from, uint64_t to)
{
	uint64_t distance_ns = to - from;

	return distance_ns < FLOW_NO_BOUND ? (uint32_t)distance_ns :
					     FLOW_NO_BOUND;
}

/* Returns the time nearest to @time_ns within @bounds and not before the
 * previous record's time @last_ns.
 */
static inline uint64_t clamp(const struct event_bounds *bounds,
			     uint64_t time_ns, uint64_t last_ns)
{
	if (time_ns > bounds->high_ns)
		time_ns = bounds->high_ns;
	if (time_ns < bounds->low_ns)
		time_ns = bounds->low_ns;
	return time_ns < last_ns ? last_ns : time_ns;
}

/* Sets the bounds of @record, whose time is set. If the previous record is
 * later than both bounds, the record's time is its upper bound. A missing bound
 * is infinitely far.
 */
static inline void set_bounds(union timed_record *record,
			      const struct event_bounds *bounds)
{
	uint64_t time_ns = record->time_ns;
	uint64_t low_ns = bounds->low_ns;
	uint64_t high_ns = bounds->high_ns;

	if (high_ns < time_ns)
		high_ns = time_ns;
	record->early_ns = low_ns ? distance(low_ns, time_ns) : FLOW_NO_BOUND;
	record->late_ns = distance(time_ns, high_ns);
}

static uint64_t usual_ns(const struct event_times *times)
{
	return instruction_pace_ns(&times->pace,
				   block_work_instructions(times->work));
}

/* Ends the current span: its work took @even_ns, and each slow block of it
 * @share_ns more.
 */
static inline void end_span(struct event_times *times, uint64_t even_ns,
			    uint64_t share_ns)
{
	int64_t work = (int64_t)block_work_instructions(times->work);

	if (even_ns > EVENT_TIMES_LONGEST_NS)
		even_ns = EVENT_TIMES_LONGEST_NS;
	times->spans[times->span_count] = (struct event_span){
		.from_ns = times->known_ns,
		.share_ns = share_ns,
		.step = (double)(int64_t)even_ns / (double)(work ? work : 1),
	};
	/* Branch-free: whether there are records is unpredictable. */
	times->span_count += times->finished < times->count;
	times->finished = times->count;
	times->elsewhere = 0;
}

/* Like end_span(), for a span with slow blocks, which take the unusual part of
 * the time.
 */
__attribute__((noinline)) static void end_slow_span(struct event_times *times,
						    uint64_t span_ns)
{
	uint64_t instructions = block_work_instructions(times->work);
	uint64_t slow = block_work_slow(times->work);
	uint64_t share_ns = 0;

	if (span_ns >= instruction_pace_longest_ns(&times->pace, instructions))
		share_ns = (span_ns - usual_ns(times)) / slow;
	end_span(times, share_ns ? usual_ns(times) : span_ns, share_ns);
	instruction_pace_add(&times->pace, 0, span_ns);
}

static inline void begin_span(struct event_times *times, uint64_t known_ns)
{
	times->known_ns = known_ns;
	times->work = 0;
}

static uint64_t time_at(const struct event_span *span, uint64_t work)
{
	int64_t instructions = (int64_t)block_work_instructions(work);

	uint64_t time_ns =
		span->from_ns +
		(uint64_t)(int64_t)((double)instructions * span->step);

	if (__builtin_expect(block_work_slow(work) != 0, 0))
		time_ns += block_work_slow(work) * span->share_ns;
	return time_ns;
}

/* Writes the times of @record into @to, which may be @record; @last_ns is the
 * previous record's time. Returns its time.
 */
static inline uint64_t write_one(const struct event_times *times,
				 const union timed_record *record,
				 union timed_record *to, uint64_t last_ns,
				 bool has_bounds)
{
	const struct event_bounds *bounds = &times->bounds[record->early_ns];
	const struct event_span *span = &times->spans[bounds->span];

	/* Nothing in a span is before its known time. */
	if (last_ns < span->from_ns)
		last_ns = span->from_ns;
	to->time_ns = clamp(bounds, time_at(span, record->time_ns), last_ns);
	if (has_bounds) {
		set_bounds(to, bounds);
	} else {
		to->early_ns = FLOW_NO_BOUND;
		to->late_ns = FLOW_NO_BOUND;
	}
	return to->time_ns;
}

/* Writes the times of finished records, to times->room if that is set. The room
 * is megabytes that another core has read, so the next records' destination is
 * prefetched.
 */
static inline void write_all(struct event_times *times, bool has_bounds)
{
	union timed_record *to = times->room ? times->room : times->records;
	uint64_t last_ns = times->last_ns;

	for (size_t i = times->written; i < times->finished; i++) {
		if (times->room) {
			__builtin_prefetch(to + i + EVENT_TIMES_ENOUGH, 1);
			to[i] = times->records[i];
		}
		last_ns = write_one(times, &times->records[i], &to[i], last_ns,
				    has_bounds);
	}
	times->written = times->finished;
	times->last_ns = last_ns;
}

/* Without this attribute x86 only prefetches for reading. */
#ifdef __x86_64__
__attribute__((target("prfchw")))
#endif
void event_times_write(struct event_times *times)
{
	/* invariant 1 */
	assert(times->written <= times->finished &&
	       times->finished <= times->count &&
	       times->count <= EVENT_TIMES_ROOM);
	if (times->without_bounds)
		write_all(times, false);
	else
		write_all(times, true);
}

/* The time is at least that of the last known time, of the last written record,
 * and of the lower bounds of the waiting records.
 */
uint64_t event_times_floor_ns(struct event_times *times)
{
	uint64_t floor_ns;

	event_times_write(times);
	floor_ns = times->known_ns > times->last_ns ? times->known_ns :
						      times->last_ns;
	for (size_t i = times->finished; i < times->count; i++) {
		const union timed_record *record = &times->records[i];
		uint64_t low_ns = times->bounds[record->early_ns].low_ns;

		if (low_ns > floor_ns)
			floor_ns = low_ns;
	}
	return floor_ns;
}

/* Returns the lower bound of the first waiting record's start, or its upper
 * bound if it has none; @known_ns if that is earlier.
 */
__attribute__((noinline)) static uint64_t
first_known(const struct event_times *times, uint64_t known_ns)
{
	const union timed_record *first = &times->records[times->finished];
	const struct event_bounds *bounds;
	uint64_t first_ns;

	if (times->finished == times->count)
		return known_ns;
	bounds = &times->bounds[first->early_ns];
	first_ns = bounds->low_ns ? bounds->low_ns : bounds->high_ns;
	return first_ns < known_ns ? first_ns : known_ns;
}

void event_times_set_known(struct event_times *times, uint64_t known_ns)
{
	uint64_t span_ns;

	if (!times->known_ns)
		times->known_ns = first_known(times, known_ns);
	span_ns = known_ns > times->known_ns ? known_ns - times->known_ns : 0;
	if (__builtin_expect(block_work_slow(times->work) != 0, 0)) {
		end_slow_span(times, span_ns);
	} else {
		end_span(times, span_ns, 0);
		instruction_pace_add(&times->pace, times->work, span_ns);
	}
	begin_span(times, known_ns);
}

/* Ends the span at the usual rate, the best guess without a later known time.
 */
void event_times_flush(struct event_times *times)
{
	end_span(times, usual_ns(times), 0);
	event_times_write(times);
	begin_span(times, times->last_ns);
}

/* Moves the waiting records' bounds to the front. */
static void drop_bounds(struct event_times *times)
{
	uint32_t gone = times->bounds_count;

	if (times->count)
		gone = times->records[0].early_ns;
	times->bounds_count -= gone;
	memmove(times->bounds, times->bounds + gone,
		times->bounds_count * sizeof(*times->bounds));
	for (size_t i = 0; i < times->count; i++)
		times->records[i].early_ns -= gone;
	for (size_t i = 0; i < times->bounds_count; i++)
		times->bounds[i].span = 0;
	times->span_count = 0;
}

void event_times_drop(struct event_times *times)
{
	event_times_write(times);
	times->count -= times->finished;
	memmove(times->records, times->records + times->finished,
		times->count * sizeof(*times->records));
	times->finished = 0;
	times->written = 0;
	drop_bounds(times);
}
