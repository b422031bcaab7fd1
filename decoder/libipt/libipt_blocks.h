/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_BLOCKS_H
#define KT_DECODER_LIBIPT_BLOCKS_H

#include <stdint.h>

struct code_space;
struct libipt_segment;

/* Converts the blocks that libipt decodes to items. */
struct libipt_blocks {
	/* of the last executed instruction; 0: unknown */
	uint64_t last_ip;
	uint64_t watched;      /* libipt's position at the last check */
	uint32_t watch_blocks; /* blocks since then */
};

/* Fetches one block of @segment and adds its items; @code is the running code.
 * Returns libipt's status.
 */
int libipt_blocks_take(struct libipt_blocks *blocks,
		       struct libipt_segment *segment, struct code_space *code);

#endif
