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

/* This is what is given a time: an event, or for a list of blocks an item.
 * Both begin with the same three.
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

/* When records began: within [low_ns, high_ns], 0 and UINT64_MAX if
 * unbounded.
 */
struct event_bounds {
	uint64_t low_ns;
	uint64_t high_ns;
	uint32_t span;
};

/* How time passed between two known times. */
struct event_span {
	uint64_t from_ns;
	uint64_t share_ns; /* for each slow block, on top of: */
	double step;	   /* nanoseconds for each instruction */
};

enum {
	EVENT_TIMES_ROOM = 11 * 1024,
	/* Finished records are handed out before they leave the cache. */
	EVENT_TIMES_ENOUGH = 2048,
	/* This is what one branch may need: 63 bits of a list with many blocks
	 * for each.
	 */
	EVENT_TIMES_SPARE = 4096,
};

/* Records wait here until a time is known behind them.  Those between two
 * known times are interpolated by the work done, but for time that only slow
 * blocks can have taken.  docs/time.md says more.
 *
 * Until its time is written, a record's time_ns is the work (see
 * BLOCK_WORK_SLOW) behind the last known time, early_ns the index of its
 * bounds: many share theirs.  Times are written for many records at once, in
 * one long loop: spans with records are as short as two or three, and a loop
 * over each would cost the processor a wrong guess.
 */
/* More than any clock counts, and less than a signed number holds, which the
 * processor converts faster.
 */
#define EVENT_TIMES_LONGEST_NS ((uint64_t)1 << 62)

struct event_times {
	bool without_bounds; /* records get none: nobody asks */
	size_t count;
	size_t finished;	  /* a time is known behind these */
	size_t written;		  /* these have their times, and are in: */
	union timed_record *room; /* of somebody else; NULL: they stay */
	size_t elsewhere; /* so many wait before the first, which who decoded
			   * what was before has */
	uint32_t bounds_count;
	uint32_t span_count; /* the one under way is the next */
	uint64_t last_ns;    /* of the last record written */
	uint64_t known_ns;   /* the last known time */
	uint64_t work;	     /* since then */
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

/* Returns whether another branch's records may be added before those that are
 * finished are handed out.
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

/* Returns a time that whatever comes next is not before. */
uint64_t event_times_floor_ns(struct event_times *times);

/* Adds bounds for the next records, of which there must be one.  Returns their
 * index.
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

/* Adds a record that begins @work behind the last known time, within @bounds;
 * the caller fills in all that is behind its times.  Needs room.
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

/* Adds a record that begins now, within @bounds, all zero but to be filled in.
 * Needs room.
 */
static inline union timed_record *event_times_add(struct event_times *times,
						  uint32_t bounds)
{
	union timed_record *record = &times->records[times->count++];

	/* What an initializer leaves of a union is not said. */
	memset(record, 0, sizeof(*record));
	record->time_ns = times->work;
	record->early_ns = bounds;
	return record;
}

/* The time is @known_ns now: records added so far are finished. */
void event_times_know(struct event_times *times, uint64_t known_ns);

/* Finishes all records although no time is known behind them: the stream ends,
 * or there is no room.  Their times are written.
 */
void event_times_flush(struct event_times *times);

/* Writes the times of the finished records, where they are to be. */
void event_times_write(struct event_times *times);

/* Drops the finished records.  Pointers to records are invalid then. */
void event_times_drop(struct event_times *times);

/* Those that are finished next go to @room, for EVENT_TIMES_ROOM of them; or
 * stay here, where that is NULL.  None is finished yet.
 */
static inline void event_times_finish_in(struct event_times *times,
					 union timed_record *room)
{
	times->room = room;
}

#endif
