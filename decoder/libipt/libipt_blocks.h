/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_BLOCKS_H
#define KT_DECODER_LIBIPT_BLOCKS_H

#include <stdint.h>

struct code_space;
struct libipt_segment;

/* The blocks that libipt finds, as items. */
struct libipt_blocks {
	uint64_t last_ip;      /* of the last instruction that ran; 0 unknown */
	uint64_t watched;      /* libipt's place at the last look */
	uint32_t watch_blocks; /* since then */
};

/* Fetches and takes one block of @segment; @code is what runs.  Returns libipt's
 * status.
 */
int libipt_blocks_take(struct libipt_blocks *blocks,
		       struct libipt_segment *segment, struct code_space *code);

#endif
