/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_BRANCH_KINDS_H
#define KT_DECODER_CORESIGHT_BRANCH_KINDS_H

#include "decoder/coresight/coresight_branches.h"

#include <stdbool.h>

/* Consumes the current packet, which is complete and of a certain kind. Returns
 * whether it is valid at this point of the trace.
 */
typedef bool coresight_branches_take_kind(struct coresight_branches *branches);

extern coresight_branches_take_kind
	*const coresight_branch_kinds[CORESIGHT_PACKET_KINDS];

#endif
