/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_BRANCH_KINDS_H
#define KT_DECODER_CORESIGHT_BRANCH_KINDS_H

#include "decoder/coresight/coresight_branches.h"

#include <stdbool.h>

/* This is what is done with packets of a kind. */
struct coresight_branch_kind {
	/* Takes the packet under way, which is whole.  Returns whether a unit
	 * may have written it there.
	 */
	bool (*take)(struct coresight_branches *branches);
	bool is_between; /* may come between exception and address */
};

extern const struct coresight_branch_kind
	coresight_branch_kinds[CORESIGHT_PACKET_KINDS];

#endif
