/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SEGMENT_FEED_H
#define KT_EXECUTION_SEGMENT_FEED_H

#include "execution/follow/record_feed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execution_state;
struct flow_input;
struct jobs;
struct symbols;

/* One stream's records, as record_feed.h has them, decoded by several threads:
 * each takes a segment, beginning a little before to find out what is known
 * there.  Where that is not what the part before ended with, the segment is
 * decoded again from that: the records are the same for any number of threads.
 * The calling thread decodes the parts between two segments itself, from where
 * the first of them ended, and hands them out as it goes: stretch_plan.h.
 */
struct segment_feed;

/* Borrows all arguments.  Without @jobs, or if the stream is small, the calling
 * thread does it all.  @from: go on from there, NULL: the stream's begin.
 * Returns 0 and *@feed, or a negative enum error.
 */
int segment_feed_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, const struct execution_state *from,
		      struct segment_feed **feed);

/* Begins anew with a part of another stream of the same code, which the calling thread
 * decodes alone, as it must have until now: as record_feed_renew().
 */
int segment_feed_renew(struct segment_feed *feed,
		       const struct flow_input *input, struct stream_part part);

void segment_feed_close(struct segment_feed *feed);

/* As record_feed_next(). */
int segment_feed_next(struct segment_feed *feed, struct record_run *run);

/* Reports states from now on, at distances that suit threads. */
void segment_feed_say_states(struct segment_feed *feed);

/* Returns the state that the run began with if it began behind a
 * synchronisation point, or NULL.  Of one thread no run begins so.
 */
const struct execution_state *
segment_feed_first_state(const struct segment_feed *feed);

/* Returns the state at the MARK_SYNC that was reached, of which each must be
 * asked for.
 */
const struct execution_state *segment_feed_pass(struct segment_feed *feed);

/* Returns how many segments were decoded again so far: the work that threads did
 * in vain.
 */
size_t segment_feed_repeats(const struct segment_feed *feed);

/* As record_feed_is_off() and record_feed_end_ns(). */
bool segment_feed_is_off(const struct segment_feed *feed);
uint64_t segment_feed_end_ns(const struct segment_feed *feed);

#endif
