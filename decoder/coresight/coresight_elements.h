/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ELEMENTS_H
#define KT_DECODER_CORESIGHT_ELEMENTS_H

#include "decoder/coresight/coresight_blocks.h"
#include "decoder/coresight/coresight_context.h"

struct coresight_feed;

/* Converts OpenCSD's elements to items. */
struct coresight_elements {
	struct coresight_items *items;
	struct coresight_code *code;
	const struct coresight_feed *feed; /* source of the elements */
	struct coresight_context context;
	bool is_off;	  /* its last session ended cleanly */
	bool is_rejected; /* by the last element: damage */
	struct coresight_blocks blocks;
};

/* Starts a session. */
void coresight_elements_begin(struct coresight_elements *elements);

/* Consumes one element of OpenCSD, whose packet begins at @position. */
void coresight_elements_take(struct coresight_elements *elements,
			     uint64_t position,
			     const ocsd_generic_trace_elem *element);

/* Ends the session; @is_lost: the end of its trace was lost. */
void coresight_elements_end(struct coresight_elements *elements, bool is_lost);

#endif
