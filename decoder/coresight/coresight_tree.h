/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_TREE_H
#define KT_DECODER_CORESIGHT_TREE_H

#include "decoder/recording/coresight_unit.h"

#include <opencsd/c_api/opencsd_c_api.h>

/* OpenCSD set up for one trace unit, to decode its bytes, bare of frames. */
struct coresight_tree {
	dcd_tree_handle_t handle;
	uint8_t trace_id; /* of the decoder in it */
};

enum coresight_depth {
	CORESIGHT_PACKETS,   /* only what the bytes say */
	CORESIGHT_EXECUTION, /* what ran: needs the code */
};

/* With CORESIGHT_EXECUTION OpenCSD is told of no speculation.
 * Returns 0 or -ERROR_UNSUPPORTED if OpenCSD does not take the unit's registers,
 * -ERROR_MEMORY.  Close it either way.
 */
int coresight_tree_open(struct coresight_tree *tree,
			const struct coresight_unit *unit,
			enum coresight_depth depth);

/* Has OpenCSD call @take with @context, which is borrowed until the tree is
 * closed, for each element that it decodes.  Returns 0 or -ERROR_MEMORY.
 */
int coresight_tree_on_element(struct coresight_tree *tree, FnTraceElemIn take,
			      const void *context);

void coresight_tree_close(struct coresight_tree *tree);

/* Returns the protocol of @unit's packets as OpenCSD numbers it. */
ocsd_trace_protocol_t
coresight_tree_protocol(const struct coresight_unit *unit);

/* Returns with how many 0 bytes an alignment synchronisation packet of @unit
 * begins, at least; 0x80 follows.
 */
size_t coresight_tree_sync_zeros(const struct coresight_unit *unit);

#endif
