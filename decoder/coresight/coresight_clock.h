/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_CLOCK_H
#define KT_DECODER_CORESIGHT_CLOCK_H

#include "decoder/flow/flow_batch.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct coresight_feed;
struct coresight_queue;

/* The trace unit's cycle counts. A count covers the cycles since the last
 * count; a count that accompanies a time stamp does not start a new interval.
 */
struct coresight_cycles {
	bool is_known; /* the start of the next count is known */
	/* part of the next count that a time stamp reported */
	uint32_t stamped;
	uint64_t carried; /* cycles before the next block ran */
	uint64_t counted; /* instructions, up to the last count */
	uint64_t total;	  /* if cycles are the clock: so far, from 1 */
};

/* Times for the elements that OpenCSD decodes: from time stamps, cycle counts
 * or instructions, whichever the trace has.
 */
struct coresight_clock {
	enum recording_time time;	   /* unit of the clock */
	const struct coresight_feed *feed; /* of the trace unit that counts */
	struct coresight_queue *queue;	   /* items that wait for a time */
	struct flow_batch *batch;	   /* later stage of the same items */
	uint64_t instructions;		   /* so far, from 1 */
	struct coresight_cycles cycles;
	uint64_t low_ns;	       /* the last time stamp */
	uint64_t known_ns;	       /* of the next item, or 0 */
	struct flow_stamp after_block; /* end of the last block */
};

/* Resets @clock, all of whose pointers and time are set, to the start. */
void coresight_clock_start(struct coresight_clock *clock);

/* Returns the current time bounds. @is_running: for a block that continues the
 * last one, else for another item.
 */
struct flow_stamp coresight_clock_now(struct coresight_clock *clock,
				      bool is_running);

/* Returns the time bounds of the end of the last block. */
struct flow_stamp
coresight_clock_after_block(const struct coresight_clock *clock);

/* Counts a block of @count instructions. */
void coresight_clock_run(struct coresight_clock *clock, uint32_t count);

/* Consumes a time stamp of the trace unit. Returns whether it is valid. */
bool coresight_clock_take_time(struct coresight_clock *clock, uint64_t time_ns);

/* Consumes a count of the cycles since the last one; 0 if the trace unit does
 * not know. The items that ran in them get that much work.
 */
void coresight_clock_take_cycles(struct coresight_clock *clock,
				 uint32_t cycles);

/* Consumes the count that accompanies a time stamp, or 0 if there is none. */
void coresight_clock_take_stamp_cycles(struct coresight_clock *clock,
				       uint32_t cycles);

/* Consumes a count of untraced cycles. */
void coresight_clock_skip_cycles(struct coresight_clock *clock,
				 uint32_t cycles);

/* Marks that the next count may cover untraced execution. */
void coresight_clock_lose_count(struct coresight_clock *clock);

/* Must be called after an item was added to the queue: it may have to wait for
 * a count.
 */
void coresight_clock_note_item(struct coresight_clock *clock);

#endif
