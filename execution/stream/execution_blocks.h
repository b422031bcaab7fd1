/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_BLOCKS_H
#define KT_EXECUTION_EXECUTION_BLOCKS_H

#include "decoder/flow/flow_source.h"

/* Follows the code like execution_stream.h, but provides the blocks that ran as
 * flow items (flow.h), for display.
 */
extern const struct flow_source_ops execution_blocks;

#endif
