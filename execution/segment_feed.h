/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SEGMENT_FEED_H
#define KT_EXECUTION_SEGMENT_FEED_H

#include <stdbool.h>
#include <stdint.h>

struct flow_input;
struct jobs;
struct record_run;
struct symbols;

/* One stream's records, as record_feed.h has them, decoded by several threads:
 * each takes a segment, beginning a little before to find out what is known
 * there.  Where that is not what the segment before ended with, the segment is
 * decoded again from that: the records are the same for any number of threads.
 */
struct segment_feed;

/* Borrows all arguments.  Without @jobs, or if the stream is small, the calling
 * thread does it all.  Returns 0 and *@feed, or a negative enum error.
 */
int segment_feed_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, struct segment_feed **feed);
void segment_feed_close(struct segment_feed *feed);

/* As record_feed_next(). */
int segment_feed_next(struct segment_feed *feed, struct record_run *run);

/* As record_feed_is_off() and record_feed_end_ns(). */
bool segment_feed_is_off(const struct segment_feed *feed);
uint64_t segment_feed_end_ns(const struct segment_feed *feed);

#endif
