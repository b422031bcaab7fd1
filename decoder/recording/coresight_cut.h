/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_CUT_H
#define KT_DECODER_CORESIGHT_CUT_H

#include "decoder/recording/recording.h"

struct array;

/* A slice of a buffer for one stream; without bytes for a stream that has none.
 */
struct coresight_part {
	struct aux_piece piece;
	int32_t cpu;
	int32_t tid;
	uint64_t time_ns;
	size_t order;
	bool cut;
	bool is_lost; /* bytes are missing after it */
	uint64_t flags;
};

/* Cuts a buffer into the slices that a trace unit wrote from start to stop,
 * once for each CPU with bytes in it.
 *
 * @spans: struct aux_span, the buffer's in order. The slices are appended to
 * @parts (struct coresight_part); trace of no unit is logged. Returns 0 or
 * -ERROR_MEMORY.
 */
int coresight_cut(const struct recording *recording,
		  const struct aux_stream *buffer, const struct array *spans,
		  struct array *parts);

#endif
