/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EVENT_TIMES_H
#define KT_EXECUTION_EVENT_TIMES_H

#include "decoder/flow/flow.h"
#include "execution/time/instruction_pace.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

_Static_assert(sizeof(union timed_record) == 32, "records are hot");

/* Time bounds of the start of records: within [low_ns, high_ns], 0 and
 * UINT64_MAX if unbounded.
 */
struct event_bounds {
	uint64_t low_ns;
	uint64_t high_ns;
	uint32_t span;
};

/* The rate of time between two known times. */
struct event_span {
	uint64_t from_ns;
	uint64_t share_ns; /* for each slow block, in addition to: */
	double step;	   /* nanoseconds for each instruction */
};

enum {
	EVENT_TIMES_ROOM = 11 * 1024,
	/* Finished records are provided before they leave the cache. */
	EVENT_TIMES_ENOUGH = 2048,
	/* Records that one branch may need: 63 bits of a list with many blocks
	 * for each.
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
 *	event_times_add ──► waiting ── event_times_know ──► finished
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
	/* number of records with their times written; they are in: */
	size_t written;
	/* owned by the caller; NULL: they stay here */
	union timed_record *room;
	/* number of records that wait before the first, held by the decoder of
	 * the previous interval
	 */
	size_t elsewhere;
	uint32_t bounds_count;
	uint32_t span_count; /* index of the current span */
	uint64_t last_ns;    /* of the last record written */
	uint64_t known_ns;   /* the last known time */
	uint64_t work;	     /* since the last known time */
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
void event_times_know(struct event_times *times, uint64_t known_ns);

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
