/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_SEGMENT_FEED_INTERNAL_H
#define KT_EXECUTION_STREAM_SEGMENT_FEED_INTERNAL_H

#include "execution/follow/record_feed.h"
#include "execution/stream/segment_ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_input;
struct jobs;
struct symbols;

/* One stream's records, like record_feed.h, but decoded by several threads. The
 * stream is cut into intervals (struct interval), each with a part for the
 * calling thread and a part, the segment, for a thread of the ring:
 *
 *	begin ─────────────── middle ─────────────── end, the next begin
 *	   calling thread        thread of the ring
 *	   POSITION_OWN             POSITION_SEGMENT
 *
 * The parts are provided in the order of the stream. The calling thread decodes
 * its part from the state where the previous part ended, and provides the
 * records meanwhile. A ring thread decodes ahead, starting a little before its
 * segment with unknown state.
 *
 * 1. A segment is only used if its state at the start is the state where the
 *    previous part ended. Otherwise the calling thread decodes it again from
 *    that state. So the records do not depend on the number of threads.
 * 2. The sizes of the parts (struct interval_plan) only affect speed.
 *
 * A feed is used by one thread at a time; segment_ring.h has the threads.
 * Memory: one segment's records for each thread and one more. Errors: as
 * record_feed.h.
 */
struct segment_feed;

/* How a stream is cut into intervals. The threads' parts are of one size, but
 * smaller towards the end of the stream; the size of the calling thread's part
 * is adapted so that neither waits for the other.
 */
struct interval_plan {
	struct branch_source *scout; /* finds sync points */
	uint64_t segment_bytes;	     /* maximum size of a thread's part */
	uint64_t stream_bytes;
	/* size of the calling thread's part, in 1/OWN_PARTS of a thread's */
	unsigned int own_parts;
	bool shares;	     /* the calling thread decodes, too */
	uint64_t next_begin; /* NO_SYNC: there are no more intervals */
};

/* Plans for @threads, and the calling thread if it @shares their work, from the
 * sync point at @begin on. Returns 0 or a negative enum error; @plan must be
 * closed in either case.
 */
int interval_plan_open(struct interval_plan *plan,
		       const struct flow_input *input, unsigned int threads,
		       bool shares, uint64_t segment_bytes, uint64_t begin);

void interval_plan_close(struct interval_plan *plan);

/* Returns whether there is another interval, and sets *@interval to it. */
bool interval_plan_next(struct interval_plan *plan, struct interval *interval);

/* Adapts the size of the calling thread's next parts to @lead. */
void interval_plan_adapt(struct interval_plan *plan, enum ring_lead lead);

/* Opens a feed. Borrows all arguments. Without @jobs, or if the stream is
 * small, the calling thread decodes everything. @from: start at that state,
 * NULL: at the start of the stream. Returns 0 and *@feed, or a negative enum
 * error.
 */
int segment_feed_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, const struct execution_state *from,
		      struct segment_feed **feed);

/* Restarts with a part of another stream of the same code image, like
 * record_feed_restart(). Requires that the calling thread decodes alone.
 */
int segment_feed_restart(struct segment_feed *feed,
			 const struct flow_input *input,
			 struct stream_part part);

void segment_feed_close(struct segment_feed *feed);

/* Like record_feed_next(). If several threads decode, it also returns the error
 * of a thread that could not open its decoder.
 */
int segment_feed_next(struct segment_feed *feed, struct record_run *run);

/* Reports states at sync points from now on: by MARK_SYNC if one thread
 * decodes, otherwise by segment_feed_first_state(). Sync points are as far
 * apart as suits decoding.
 */
void segment_feed_report_states(struct segment_feed *feed);

/* Returns the state at the start of the current run if that is at a sync point,
 * or NULL. Always NULL if one thread decodes.
 */
const struct execution_state *
segment_feed_first_state(const struct segment_feed *feed);

/* Returns the state at the MARK_SYNC just consumed, and watches for the next
 * one. Must be called for each MARK_SYNC.
 */
const struct execution_state *segment_feed_pass(struct segment_feed *feed);

/* Returns how many segments had to be decoded again by the calling thread. */
size_t segment_feed_repeats(const struct segment_feed *feed);

/* Like record_feed_is_off() and record_feed_end_ns(). */
bool segment_feed_is_off(const struct segment_feed *feed);

uint64_t segment_feed_end_ns(const struct segment_feed *feed);

#endif
