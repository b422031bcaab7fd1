/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_TREE_INTERNAL_H
#define KT_DECODER_CORESIGHT_TREE_INTERNAL_H

#include "decoder/recording/coresight_streams.h"

#include <opencsd/c_api/opencsd_c_api.h>

struct code_space;

/* An OpenCSD decode tree for one trace unit, whose bytes are passed without
 * frames.
 */
struct coresight_tree {
	dcd_tree_handle_t handle;
	uint8_t trace_id; /* of its decoder */
};

enum coresight_depth {
	CORESIGHT_PACKETS,   /* parses packets only */
	CORESIGHT_EXECUTION, /* decodes execution; needs the code */
};

/* Opens a tree for @unit. With CORESIGHT_EXECUTION OpenCSD is configured
 * without speculation. Returns 0 or -ERROR_UNSUPPORTED if OpenCSD rejects the
 * unit's registers, -ERROR_MEMORY. Must be closed either way.
 */
int coresight_tree_open(struct coresight_tree *tree,
			const struct coresight_unit *unit,
			enum coresight_depth depth);

/* Makes OpenCSD call @consume with @context for each element that it decodes.
 * @context is borrowed until the tree is closed. Returns 0 or -ERROR_MEMORY.
 */
int coresight_tree_on_element(struct coresight_tree *tree,
			      FnTraceElemIn consume, const void *context);

void coresight_tree_close(struct coresight_tree *tree);

/* Returns OpenCSD's number for the protocol of @unit's packets. */
ocsd_trace_protocol_t
coresight_tree_protocol(const struct coresight_unit *unit);

/* Returns the minimum number of 0 bytes at the start of an alignment
 * synchronization packet of @unit; 0x80 follows.
 */
size_t coresight_tree_sync_zeros(const struct coresight_unit *unit);

/* Makes OpenCSD read the code that @tree decodes from @code, which is borrowed.
 * Returns 0 or -ERROR_MEMORY.
 */
int coresight_memory_attach(struct coresight_tree *tree,
			    struct code_space *code);

/* Clears OpenCSD's cache of the code, so that it reads @code again. Returns 0
 * or -ERROR_MEMORY.
 */
int coresight_memory_refresh(struct coresight_tree *tree,
			     struct code_space *code);

#endif
