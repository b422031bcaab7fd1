/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_BLOCKS_H
#define KT_DECODER_LIBIPT_BLOCKS_H

struct libipt;

/* Fetches and takes one block.  Leaves libipt's status in source->status. */
void libipt_take_block(struct libipt *source);

#endif
