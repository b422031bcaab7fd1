/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_BLOCKS_H
#define KT_DECODER_CORESIGHT_BLOCKS_H

#include "decoder/coresight/coresight_path.h"

#include <stdbool.h>
#include <stdint.h>

struct coresight_items;

/* Makes blocks from the instruction ranges that OpenCSD reports. */
struct coresight_blocks {
	bool must_start;	    /* tracing began: FLOW_START is due */
	uint64_t next_address;	    /* end of the last block */
	struct coresight_path path; /* expected path from there */
};

/* Adds to @items the blocks of @range, whose packet begins at @position and
 * whose instructions are in @code; or a gap if there is no code or if control
 * cannot have continued there.
 */
void coresight_blocks_take(struct coresight_blocks *blocks,
			   struct coresight_items *items,
			   struct code_space *code, uint64_t position,
			   const ocsd_generic_trace_elem *range);

#endif
