/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ELEMENTS_H
#define KT_DECODER_CORESIGHT_ELEMENTS_H

#include "decoder/coresight/coresight_blocks.h"
#include "decoder/coresight/coresight_context.h"

struct coresight_feed;

/* What OpenCSD's elements mean: which items they become. */
struct coresight_elements {
	struct coresight_items *items;
	struct coresight_code *code;
	const struct coresight_feed *feed; /* whose elements they are */
	struct coresight_context context;
	bool is_off;	  /* its last session ended well */
	bool is_rejected; /* by the last element: damage */
	struct coresight_blocks blocks;
};

/* A session begins. */
void coresight_elements_begin(struct coresight_elements *elements);

/* Takes one element of OpenCSD, whose packet begins at @position. */
void coresight_elements_take(struct coresight_elements *elements,
			     uint64_t position,
			     const ocsd_generic_trace_elem *element);

/* The session ends; @is_lost: more of its trace was lost. */
void coresight_elements_end(struct coresight_elements *elements, bool is_lost);

#endif
