/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_BLOCKS_H
#define KT_EXECUTION_EXECUTION_BLOCKS_H

#include "decoder/flow/flow_source.h"

/* An execution_stream as blocks (flow.h), each that ran: to be looked at. */
extern const struct flow_source_ops execution_blocks;

#endif
