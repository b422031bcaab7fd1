/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_RECORD_JOIN_INTERNAL_H
#define KT_EXECUTION_STREAM_RECORD_JOIN_INTERNAL_H

#include "execution/follow/record_feed.h"
#include "execution/stream/stream_checkpoint.h"
#include "symbolize/events/stream_tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_input;
struct jobs;
struct segment_feed;
struct symbols;

/* A reading position in a run of records and marks. A zeroed cursor is at the
 * end of an empty run.
 */
struct run_cursor {
	struct record_run run;
	size_t at; /* the next record */
	size_t next_mark;
};

/* Merges the records of one stream with the kernel's switch records.
 *
 * In a list, a switch record is an item, inserted by its time. For events, a
 * switch record announces the next task, and the task changes at the switch
 * point (MARK_SWITCH_POINT) that belongs to the record: stream_tasks.h. Where
 * execution is not traced, it changes at the record's time.
 *
 * 1. With Intel PT, an announced switch waits for its switch point: meanwhile
 *    no other switch record is consumed by its time, because the times of the
 *    records around it are estimates. The switch point, or the pause
 *    (MARK_PAUSE) that comes instead, then consumes the switch records before
 *    its lower bound. Only the last of them counts: the switch points of the
 *    others were not traced.
 * 2. A switch record within the bounds of a stop is after the stop, if tasks
 *    may be switched there: flow_stop_ends_run(), flow_stop_low_ns().
 * 3. Times never decrease: a switch record that is placed after a later record
 *    gets the time of that record.
 */
struct record_join {
	bool lists_blocks; /* records are flow items, not events */
	struct segment_feed *feed;
	struct run_cursor cursor;
	bool is_fed; /* @cursor has the last run of the feed */
	bool at_end;
	/* switch points have time bounds, see struct event_mark */
	bool has_bounds;
	bool is_gated; /* recording_is_gated() */
	/* the end of the loss that the stream ends with, 0 if none */
	uint64_t lost_until_ns;
	/* the start of a loss that is all of the stream; 0 if none, or if its
	 * gap was provided
	 */
	uint64_t lost_from_ns;

	struct stream_tasks tasks; /* the running task */
	/* the last record provided; only its times are valid */
	union timed_record last;
	/* space for a record that is not the feed's */
	union timed_record made;

	/* If @keeps, the last sync point and the number of records since. */
	bool keeps;
	struct stream_checkpoint kept;
};

/* Opens a join at @state, NULL: at the start of the stream. The running task is
 * unknown. Borrows like segment_feed_open(). Returns 0, or a negative enum
 * error with nothing left open.
 */
int record_join_open(struct record_join *join, const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct jobs *jobs, const struct execution_state *state);

/* Restarts with @part of another stream, like segment_feed_restart(). Records
 * are events; the running task is unknown.
 */
int record_join_restart(struct record_join *join,
			const struct flow_input *input,
			struct stream_part part);

void record_join_close(struct record_join *join);

/* Restores the running task and times from @from, at whose state the join was
 * opened. Returns 0 or -ERROR_MEMORY.
 */
int record_join_go_to(struct record_join *join,
		      const struct stream_checkpoint *from);

/* Makes the join save sync points. Must be called before the first record. */
void record_join_keep(struct record_join *join);

/* Provides the next records, 1 or more, valid until the next call. Returns
 * their count, 0 after FUNCTION_END or FLOW_END, or the negative enum error of
 * segment_feed_next().
 */
int record_join_next(struct record_join *join,
		     const union timed_record **records);

#endif
