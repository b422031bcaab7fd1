/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_BLOCKS_H
#define KT_DECODER_INTEL_PT_BLOCKS_H

struct intel_pt;

/* Fetches and takes one block.  Leaves libipt's status in source->status. */
void intel_pt_take_block(struct intel_pt *source);

#endif
