/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ITEMS_H
#define KT_DECODER_CORESIGHT_ITEMS_H

#include "decoder/coresight/coresight_clock.h"
#include "decoder/coresight/coresight_queue.h"
#include "decoder/flow/flow.h"

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
