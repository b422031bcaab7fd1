/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_CLOCK_H
#define KT_DECODER_CORESIGHT_CLOCK_H

#include "decoder/flow/flow_batch.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct coresight_feed;
struct coresight_queue;

/* This is what the trace unit counts of cycles.  Its counts are of those since
 * the last count; one that comes with a time stamp does not begin anew.
 */
struct coresight_cycles {
	bool is_known;	  /* since when the next count is */
	uint32_t stamped; /* of the next count: up to a time stamp */
	uint64_t carried; /* before the next block ran */
	uint64_t counted; /* instructions, up to the last count */
	uint64_t total;	  /* where they are the clock: so far, from 1 */
};

/* When what OpenCSD decodes was: by time stamps, cycle counts or instructions,
 * whichever the trace has.
 */
struct coresight_clock {
	enum recording_time time;	   /* what it counts */
	const struct coresight_feed *feed; /* whose trace unit counts */
	struct coresight_queue *queue;	   /* what waits for a time */
	struct flow_batch *batch;	   /* likewise, before it */
	uint64_t instructions;		   /* so far, from 1 */
	struct coresight_cycles cycles;
	uint64_t low_ns;	       /* the last time stamp */
	uint64_t known_ns;	       /* of the next item, or 0 */
	struct flow_stamp after_block; /* when what ran last ended */
};

/* Sets @clock, all of whose pointers and time are set, to its begin. */
void coresight_clock_start(struct coresight_clock *clock);

/* This is what is known of the time now.  @is_running: a block that goes on from
 * the last one begins; another item otherwise.
 */
struct flow_stamp coresight_clock_now(struct coresight_clock *clock,
				      bool is_running);

/* This is what is known of the time at which the last block ended. */
struct flow_stamp
coresight_clock_after_block(const struct coresight_clock *clock);

/* A block of @count instructions ran. */
void coresight_clock_run(struct coresight_clock *clock, uint32_t count);

/* Takes a time stamp of the trace unit.  Returns whether it is one that counts. */
bool coresight_clock_take_time(struct coresight_clock *clock, uint64_t time_ns);

/* Takes a count of the cycles since the last one, up to here; 0 if the trace
 * unit does not know.  What ran in them weighs as many.
 */
void coresight_clock_take_cycles(struct coresight_clock *clock,
				 uint32_t cycles);

/* Takes the count that comes with a time stamp, or 0 if none does. */
void coresight_clock_take_stamp_cycles(struct coresight_clock *clock,
				       uint32_t cycles);

/* Takes a count of cycles in which nothing was traced. */
void coresight_clock_skip_cycles(struct coresight_clock *clock,
				 uint32_t cycles);

/* What the next count will be of is not known to be what is traced. */
void coresight_clock_lose_count(struct coresight_clock *clock);

/* An item was added to the queue: it may have to wait for a count. */
void coresight_clock_note_item(struct coresight_clock *clock);

#endif
