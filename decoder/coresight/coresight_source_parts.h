/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SOURCE_PARTS_H
#define KT_DECODER_CORESIGHT_SOURCE_PARTS_H

#include "decoder/coresight/coresight_branches.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/coresight/coresight_scan.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"

#include <stdbool.h>

/* The inside of coresight_branch_source, shared by its files. */

/* One stream of ETMv4 or ETE trace: the feed takes it out of its frames,
 * undoes speculation, and says where it begins and ends.
 */
struct coresight_source {
	struct branch_source base;
	struct flow_input input;
	struct coresight_feed feed;
	struct coresight_branches branches;
	struct coresight_scan scan;
	bool at_end;
};

/* Its synchronisation points: as the functions of struct branch_source_ops. */
int coresight_source_seek(struct branch_source *base, uint64_t position);
uint64_t coresight_source_next_sync(struct branch_source *base, uint64_t from);
uint64_t coresight_source_sync_before(struct branch_source *base,
				      uint64_t time_ns, uint64_t distance,
				      uint64_t *at_ns);

#endif
