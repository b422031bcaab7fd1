/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ITEMS_INTERNAL_H
#define KT_DECODER_CORESIGHT_ITEMS_INTERNAL_H

#include "common/array.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coresight_feed;

/* Items that were decoded but are not in the batch yet: the next element may
 * add to them, and a later cycle count may cover them.
 */
struct coresight_queue {
	struct array entries; /* struct coresight_entry */
	size_t resolved;      /* number of items that wait for no cycle count */
	size_t bounded;	      /* number of items that have their upper bound */
};

struct coresight_queue coresight_queue_new(void);

void coresight_queue_free(struct coresight_queue *queue);

/* Adds @item, which waits for a count. Returns 0 or -ERROR_MEMORY. */
int coresight_queue_add(struct coresight_queue *queue,
			const struct flow_item *item,
			const struct flow_stamp *stamp);

/* Returns the last item, which may be changed; NULL if all were moved to the
 * batch.
 */
struct flow_item *coresight_queue_last(const struct coresight_queue *queue);

/* Returns the number of items that wait for a count, and ends their wait. */
size_t coresight_queue_unresolved(const struct coresight_queue *queue);

void coresight_queue_resolve(struct coresight_queue *queue);

/* Distributes @cycles over the waiting items, which ran @instructions in all,
 * in proportion to their instructions.
 */
void coresight_queue_share(struct coresight_queue *queue, uint64_t cycles,
			   uint64_t instructions);

/* coresight_queue_is_empty() returns whether the queue is empty,
 * coresight_queue_is_ready() whether an item can move to the batch. @is_whole:
 * no more items will follow.
 */
bool coresight_queue_is_empty(const struct coresight_queue *queue);

bool coresight_queue_is_ready(const struct coresight_queue *queue,
			      bool is_whole);

/* Moves items that are ready to @batch, as long as it has room. */
void coresight_queue_drain(struct coresight_queue *queue,
			   struct flow_batch *batch, bool is_whole);

/* Converts a number of cycles to flow_stamp.work. */
uint32_t coresight_work(uint64_t cycles);

/* The trace unit's cycle counts. A count covers the cycles since the last
 * count; a count that accompanies a time stamp does not start a new interval.
 */
struct coresight_cycles {
	bool is_known; /* the start of the next count is known */
	/* part of the next count that a time stamp reported */
	uint32_t stamped;
	uint64_t carried; /* cycles counted for which no block has run yet */
	uint64_t counted; /* instructions of the clock at the last count */
	uint64_t total;	  /* if cycles are the clock: the time, starting at 1 */
};

/* Times for the elements that OpenCSD decodes: from time stamps, cycle counts
 * or instructions, whichever the trace has.
 */
struct coresight_clock {
	enum recording_time time;	   /* unit of the clock */
	const struct coresight_feed *feed; /* of the trace unit that counts */
	struct coresight_queue *queue;	   /* items that wait for a time */
	/* to which items move when they have their time */
	struct flow_batch *batch;
	uint64_t instructions; /* executed so far, starting at 1 */
	struct coresight_cycles cycles;
	uint64_t low_ns;	       /* the last time stamp */
	uint64_t known_ns;	       /* known time of the next item, or 0 */
	struct flow_stamp after_block; /* end of the last block */
};

/* Resets @clock, all of whose pointers and time are set, to the start. */
void coresight_clock_start(struct coresight_clock *clock);

/* Returns the time bounds of the end of the last block. */
struct flow_stamp
coresight_clock_after_block(const struct coresight_clock *clock);

/* Counts a block of @count instructions. */
void coresight_clock_run(struct coresight_clock *clock, uint32_t count);

/* Consumes a time stamp of the trace unit. Returns whether it is valid. */
bool coresight_clock_consume_time(struct coresight_clock *clock,
				  uint64_t time_ns);

/* Consumes a count of the cycles since the last count; 0 if the trace unit lost
 * count. Distributes the cycles as work over the items that ran in this time.
 */
void coresight_clock_consume_cycles(struct coresight_clock *clock,
				    uint32_t cycles);

/* Consumes the count that accompanies a time stamp, or 0 if there is none. */
void coresight_clock_consume_stamp_cycles(struct coresight_clock *clock,
					  uint32_t cycles);

/* Consumes a count of untraced cycles. */
void coresight_clock_skip_cycles(struct coresight_clock *clock,
				 uint32_t cycles);

/* Marks that the next count may cover untraced execution. */
void coresight_clock_lose_count(struct coresight_clock *clock);

/* An interval of unknown execution, which ends with the next item. */
struct coresight_gap {
	bool is_open;
	uint8_t reason; /* enum flow_gap_reason */
	uint64_t position;
	struct flow_stamp stamp;
};

/* Collects the items made from OpenCSD's elements, with their times. */
struct coresight_items {
	struct coresight_queue queue;
	struct coresight_clock clock;
	struct coresight_gap gap;
	bool is_running; /* the next block follows the last */
	int error;	 /* -ERROR_MEMORY: one could not be added */
};

/* Add an item that starts now, or at the time of @stamp. */
void coresight_items_emit(struct coresight_items *items,
			  const struct flow_item *item);

void coresight_items_emit_at(struct coresight_items *items,
			     const struct flow_item *item,
			     const struct flow_stamp *stamp);

/* Returns the last item, which may be changed, if it is a block; else NULL. */
struct flow_item *
coresight_items_last_block(const struct coresight_items *items);

/* Opens a gap here, which lasts until the next item. Consecutive gaps of the
 * same reason are merged.
 */
void coresight_items_open_gap(struct coresight_items *items, uint8_t reason,
			      uint64_t position);

/* Closes the open gap, if any, at @position. */
void coresight_items_close_gap(struct coresight_items *items,
			       uint64_t position);

#endif
