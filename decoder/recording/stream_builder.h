/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_STREAM_BUILDER_H
#define KT_DECODER_STREAM_BUILDER_H

#include "common/array.h"
#include "decoder/recording/recording.h"

/* A stream while its parts are being collected. */
struct stream_builder {
	struct aux_stream stream;
	struct array pieces; /* struct aux_piece: in the order of the file */
	struct array losses; /* struct aux_loss */
	struct array spans;  /* struct aux_span */
};

/* Returns a stream for @cpu or, if that is -1, for thread @tid; with perf's
 * @index.
 */
struct stream_builder stream_builder_new(uint32_t index, int32_t cpu,
					 int32_t tid);
void stream_builder_free(struct stream_builder *builder);

/* Returns 0 or -ERROR_MEMORY. */
int stream_builder_add_loss(struct stream_builder *builder,
			    struct aux_loss loss);

/* Trims overlapping slices, and adds a loss where there is a hole between two.
 * @is_snapshot: they are copies of a ring, and only their bytes show where two
 * overlap.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int stream_builder_fit(struct stream_builder *builder, bool is_snapshot);

/* Returns the stream, which borrows the arrays of @builder. */
struct aux_stream stream_builder_stream(struct stream_builder *builder);

#endif
