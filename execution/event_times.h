/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EVENT_TIMES_H
#define KT_EXECUTION_EVENT_TIMES_H

#include "decoder/flow/flow.h"
#include "execution/instruction_pace.h"
#include "symbolize/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is given a time: an event, or for a list of blocks an item.  Both begin
 * with the same three.
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

/* When a record began: within [low_ns, high_ns], 0 and UINT64_MAX if unbounded,
 * @work behind the last known time (see BLOCK_WORK_SLOW).
 */
struct event_stamp {
	uint64_t low_ns;
	uint64_t high_ns;
	uint64_t work;
};

enum { EVENT_TIMES_ROOM = 8192 };

/* Records wait here until a time is known behind them.  Those between two
 * known times are interpolated by the work done, but for time that only slow
 * blocks can have taken.  docs/time.md says more.
 */
struct event_times {
	size_t count;
	size_t finished;	/* have their times */
	uint64_t last_ns;	/* of the last finished record */
	uint64_t known_ns;	/* the last known time */
	uint64_t work;		/* since then */
	struct instruction_pace pace;
	union timed_record records[EVENT_TIMES_ROOM];
	struct event_stamp stamps[EVENT_TIMES_ROOM];
};

void event_times_init(struct event_times *times);

/* Whether @more records may be added. */
static inline bool event_times_has_room(const struct event_times *times,
					size_t more)
{
	return times->count + more <= EVENT_TIMES_ROOM;
}

/* Adds a record that begins now, all zero but to be filled in.  Needs room. */
static inline union timed_record *event_times_add(struct event_times *times,
						  uint64_t low_ns,
						  uint64_t high_ns)
{
	size_t index = times->count++;

	times->stamps[index] = (struct event_stamp){
		.low_ns = low_ns,
		.high_ns = high_ns,
		.work = times->work,
	};
	times->records[index] = (union timed_record){ .time_ns = 0 };
	return &times->records[index];
}

/* It is @known_ns now: records added so far get their times. */
void event_times_know(struct event_times *times, uint64_t known_ns);

/* Gives all records their times although none is known behind them: the stream
 * ends, or there is no room.
 */
void event_times_settle(struct event_times *times);

/* Drops the finished records.  Pointers to records are invalid then. */
void event_times_drop(struct event_times *times);

#endif
