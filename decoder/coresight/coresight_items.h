/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ITEMS_H
#define KT_DECODER_CORESIGHT_ITEMS_H

#include "decoder/coresight/coresight_clock.h"
#include "decoder/coresight/coresight_queue.h"
#include "decoder/flow/flow.h"

/* A stretch without known execution, which ends with the next item. */
struct coresight_gap {
	bool is_open;
	uint8_t reason; /* enum flow_gap_reason */
	uint64_t position;
	struct flow_stamp stamp;
};

/* The items that elements of OpenCSD become, with their times. */
struct coresight_items {
	struct coresight_queue queue;
	struct coresight_clock clock;
	struct coresight_gap gap;
	bool is_running; /* the next block follows the last */
	int error;	 /* -ERROR_MEMORY: one could not be added */
};

/* Adds an item that begins now, or with the time of @stamp. */
void coresight_items_emit(struct coresight_items *items,
			  const struct flow_item *item);
void coresight_items_emit_at(struct coresight_items *items,
			     const struct flow_item *item,
			     const struct flow_stamp *stamp);

/* The last item if it is a block, which may be changed; else NULL. */
struct flow_item *
coresight_items_last_block(const struct coresight_items *items);

/* Execution from here on is unknown, up to the next item.  More of the same is
 * one gap.
 */
void coresight_items_open_gap(struct coresight_items *items, uint8_t reason,
			      uint64_t position);

/* Ends the gap, if there is one, at @position. */
void coresight_items_close_gap(struct coresight_items *items,
			       uint64_t position);

#endif
