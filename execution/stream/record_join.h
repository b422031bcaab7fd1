/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RECORD_JOIN_H
#define KT_EXECUTION_RECORD_JOIN_H

#include "execution/stream/run_cursor.h"
#include "execution/stream/stream_checkpoint.h"
#include "execution/stream/stream_tasks.h"

#include <stdbool.h>
#include <stdint.h>

struct flow_input;
struct jobs;
struct segment_feed;
struct symbols;

/* Joins what one stream's trace made execution do with the kernel's records of task
 * switches, in order of time.
 */
struct record_join {
	bool lists_blocks; /* records are flow items, not events */
	struct segment_feed *feed;
	struct run_cursor cursor;
	bool is_fed; /* no run comes behind this one */
	bool at_end;
	bool has_bounds;	/* switch points have, see struct event_mark */
	bool is_gated;		/* recording_is_gated() */
	uint64_t lost_until_ns; /* 0: it does not end with a loss */

	struct stream_tasks tasks; /* who runs */
	union timed_record last;   /* handed out: its times */
	union timed_record made;   /* one that is not the feed's */

	/* If it keeps them: the last synchronisation point, and how many records came
	 * since.
	 */
	bool keeps;
	struct stream_checkpoint kept;
};

/* Begins at @state, NULL: at the stream's begin; who runs is not known.  Borrows as
 * segment_feed_open() does.  Returns 0, or a negative enum error: nothing is open.
 */
int record_join_open(struct record_join *join, const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct jobs *jobs, const struct execution_state *state);

/* Begins anew with @part of another stream, as segment_feed_renew(): records are events,
 * and who runs is not known.
 */
int record_join_renew(struct record_join *join, const struct flow_input *input,
		      struct stream_part part);

void record_join_close(struct record_join *join);

/* Goes on with the tasks and times of @from, whose state the join was opened at.
 * Returns 0 or -ERROR_MEMORY.
 */
int record_join_go_to(struct record_join *join,
		      const struct stream_checkpoint *from);

/* Makes the join keep synchronisation points; before the first record. */
void record_join_keep(struct record_join *join);

/* Provides the next records, 1 or more, valid until the next call.  Returns their
 * count, 0 behind FUNCTION_END or FLOW_END, or -ERROR_MEMORY.
 */
int record_join_next(struct record_join *join,
		     const union timed_record **records);

#endif
