/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_WALK_EVENT_TIMES_INTERNAL_H
#define KT_EXECUTION_WALK_EVENT_TIMES_INTERNAL_H

#include "decoder/flow/cycle_rate.h"
#include "decoder/flow/flow.h"
#include "decoder/recording/recording.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A struct time_conversion as two factors, for fast conversion of many values:
 * the whole nanoseconds of a tick, and the fraction in 2^64ths.
 */
struct tick_scale {
	uint64_t whole;
	uint64_t part;
	uint64_t zero;
};

static inline struct tick_scale
tick_scale_of(const struct time_conversion *conversion)
{
	uint64_t below;

	if (!conversion->known)
		return (struct tick_scale){ .whole = 1 };
	below = conversion->mult & (((uint64_t)1 << conversion->shift) - 1);
	return (struct tick_scale){
		.whole = conversion->mult >> conversion->shift,
		.part = conversion->shift ? below << (64 - conversion->shift) :
					    0,
		.zero = conversion->zero,
	};
}

/* Returns the same as time_conversion_ns(). */
static inline uint64_t tick_scale_ns(const struct tick_scale *scale,
				     uint64_t ticks)
{
	return scale->zero + ticks * scale->whole +
	       (uint64_t)((unsigned __int128)ticks * scale->part >> 64);
}

/* How long instructions take, or cycles if a trace unit counts them. The rate
 * is measured between two sync points and used after the second, so that a
 * decoder which starts one such interval earlier computes the same rate. Before
 * the first such measurement, all spans so far are averaged. Spans with slow
 * blocks are ignored.
 */
struct instruction_pace {
	uint64_t rate;	 /* nanoseconds per instruction * 65536; 0: unknown */
	uint64_t sum_ns; /* since the last sync point */
	uint64_t sum_instructions;
	/* the current span started before the last sync point */
	bool is_across;
	/* number of instructions of the current span that stand for cycles
	 * counted by a trace unit
	 */
	uint64_t counted;
};

#define INSTRUCTION_PACE_FIRST ((struct instruction_pace){ .is_across = true })

/* Returns the rate to use before the first sync point that measured one. */
uint64_t instruction_pace_first_rate(const struct instruction_pace *pace);

static inline uint64_t
instruction_pace_rate(const struct instruction_pace *pace)
{
	return pace->rate ? pace->rate : instruction_pace_first_rate(pace);
}

/* Returns how long @instructions usually take. */
static inline uint64_t instruction_pace_ns(const struct instruction_pace *pace,
					   uint64_t instructions)
{
	return (instructions * instruction_pace_rate(pace)) >> 16;
}

/* Returns how long @instructions may take if none of them is slow. */
static inline uint64_t
instruction_pace_longest_ns(const struct instruction_pace *pace,
			    uint64_t instructions)
{
	const struct cycle_rate span = {
		.work = instructions,
		.counted = pace->counted < instructions ? pace->counted :
							  instructions,
		.rate = instruction_pace_rate(pace),
	};

	return cycle_rate_longest_ns(&span);
}

/* Adds a span of @instructions that took @span_ns; 0 instructions: unknown. */
static inline void instruction_pace_add(struct instruction_pace *pace,
					uint64_t instructions, uint64_t span_ns)
{
	bool counts = instructions && !pace->is_across;

	pace->is_across = false;
	pace->sum_ns += counts ? span_ns : 0;
	pace->sum_instructions += counts ? instructions : 0;
}

/* Must be called at a sync point. */
void instruction_pace_sync(struct instruction_pace *pace);

/* A record that gets a time: an event, or an item for a list of blocks. Both
 * start with the same three fields.
 */
union timed_record {
	struct {
		uint64_t time_ns;
		uint32_t early_ns;
		uint32_t late_ns;
	};
	struct function_event event;
	struct flow_item item;
};

/* Time bounds of the start of records: within [low_ns, high_ns], 0 and
 * UINT64_MAX if unbounded.
 */
struct event_bounds {
	uint64_t low_ns;
	uint64_t high_ns;
	uint32_t span;
};

/* How time is interpolated between two known times. */
struct event_span {
	uint64_t from_ns;
	/* nanoseconds for each slow block, in addition to step */
	uint64_t share_ns;
	double step; /* nanoseconds for each instruction */
};

enum {
	EVENT_TIMES_ROOM = 11 * 1024,
	/* With this many finished records no more are added, so that they are
	 * consumed while they are in the CPU's cache.
	 */
	EVENT_TIMES_ENOUGH = 2048,
	/* Limit on the records that one branch may need: a TRACE_BITS of a list
	 * has up to 63 bits, each with many blocks.
	 */
	EVENT_TIMES_SPARE = 4096,
};

/* More than any clock counts, but small enough for a signed number, which the
 * processor converts faster.
 */
#define EVENT_TIMES_LONGEST_NS ((uint64_t)1 << 62)

/* The times of records. A record waits here until a later time is known.
 * Records between two known times are interpolated by their work, except for
 * time that only slow blocks can have taken. See docs/time.md.
 *
 *	event_times_add ──► waiting ── event_times_set_known ──► finished
 *	                                                       │ _write
 *	                     removed ◄── event_times_drop ── written
 *
 * Until its time is written, a record's time_ns is the work (see
 * BLOCK_WORK_SLOW) since the last known time, and early_ns the index of its
 * bounds, which many records share. Times are written for many records at once,
 * in one long loop: spans can have as few as two or three records, and a loop
 * for each span would cost a branch misprediction each.
 *
 * 1. written <= finished <= count <= EVENT_TIMES_ROOM.
 * 2. Times never decrease, and no record is before the known time that starts
 *    its span.
 * 3. A record's time is within its bounds, unless the previous record, or the
 *    known time that starts its span, is later: then it has that time.
 *
 * One thread; no memory is allocated. Nothing fails: callers must check for
 * room.
 */
struct event_times {
	bool without_bounds; /* bounds are not needed */
	size_t count;
	size_t finished; /* number of records before a known time */
	/* number of records whose times are written */
	size_t written;
	/* where records are written, owned by the caller; NULL: in records */
	union timed_record *room;
	/* number of waiting records before the first one here: the decoder of
	 * the previous interval has them
	 */
	size_t elsewhere;
	uint32_t bounds_count;
	uint32_t span_count; /* index of the current span */
	uint64_t last_ns;    /* of the last record written */
	uint64_t known_ns;   /* the last known time */
	uint64_t work;	     /* work since the last known time */
	struct instruction_pace pace;
	union timed_record records[EVENT_TIMES_ROOM];
	struct event_bounds bounds[EVENT_TIMES_ROOM];
	struct event_span spans[EVENT_TIMES_ROOM + 1];
};

void event_times_init(struct event_times *times);

/* Returns whether @more records may be added. */
static inline bool event_times_has_room(const struct event_times *times,
					size_t more)
{
	return times->count + times->elsewhere <= EVENT_TIMES_ROOM - more;
}

/* Returns whether another branch's records may be added before the finished
 * records must be removed.
 */
static inline bool event_times_wants_more(const struct event_times *times)
{
	return times->finished < EVENT_TIMES_ENOUGH &&
	       event_times_has_room(times, EVENT_TIMES_SPARE);
}

/* Returns how many records wait for a known time. */
static inline size_t event_times_waiting(const struct event_times *times)
{
	return times->count - times->finished + times->elsewhere;
}

/* Returns a lower bound on the time of all later records. */
uint64_t event_times_floor_ns(struct event_times *times);

/* Adds bounds for the next records, at least one of which must follow. Returns
 * their index.
 */
static inline uint32_t event_times_bound(struct event_times *times,
					 uint64_t low_ns, uint64_t high_ns)
{
	times->bounds[times->bounds_count] = (struct event_bounds){
		.low_ns = low_ns,
		.high_ns = high_ns,
		.span = times->span_count,
	};
	return times->bounds_count++;
}

/* Adds a record that starts now, within @bounds, with the other fields zeroed.
 * Requires room.
 */
static inline union timed_record *event_times_add(struct event_times *times,
						  uint32_t bounds)
{
	union timed_record *record = &times->records[times->count++];

	/* An initializer leaves the rest of a union unspecified. */
	memset(record, 0, sizeof(*record));
	record->time_ns = times->work;
	record->early_ns = bounds;
	return record;
}

/* Records that the time is @known_ns now: finishes all records added so far. */
void event_times_set_known(struct event_times *times, uint64_t known_ns);

/* Finishes all records although no later time is known, and writes their times:
 * the stream ends, or there is no room.
 */
void event_times_flush(struct event_times *times);

/* Writes the times of the finished records, at their destination. */
void event_times_write(struct event_times *times);

/* Removes the finished records. Invalidates pointers to records. */
void event_times_drop(struct event_times *times);

/* Makes @room, for EVENT_TIMES_ROOM records, the destination of the records
 * finished next; NULL: they stay here. Requires that no record is finished yet.
 */
static inline void event_times_finish_in(struct event_times *times,
					 union timed_record *room)
{
	times->room = room;
}

#endif
