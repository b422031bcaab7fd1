/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_BRANCHES_PARTS_H
#define KT_DECODER_CORESIGHT_BRANCHES_PARTS_H

#include "decoder/coresight/coresight_branches.h"

/* The inside of coresight_branches.h, shared by its files. */

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

/* Where the packet under way begins, in the stream's bytes. */
uint64_t coresight_branches_position(const struct coresight_branches *branches);

/* Adds a branch of the packet under way. */
struct trace_branch *coresight_branches_say(struct coresight_branches *branches,
					    uint8_t kind);

/* All there are count. */
void coresight_branches_commit(struct coresight_branches *branches);

/* The @added last ones are true whatever is executed: they count unless they
 * wait behind others.
 */
void coresight_branches_commit_report(struct coresight_branches *branches,
				      size_t added);

/* Those that wait never count, but for such. */
void coresight_branches_take_back(struct coresight_branches *branches);

#endif
