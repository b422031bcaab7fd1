/* SPDX-License-Identifier: MIT */
#include "decoder/recording/stream_builder.h"
#include "common/error.h"
#include "decoder/recording/snapshot_overlap.h"

struct stream_builder stream_builder_new(uint32_t index, int32_t cpu,
					 int32_t tid)
{
	return (struct stream_builder){
		.stream = { .index = index,
			    .cpu = cpu,
			    .pid = -1,
			    .tid = cpu >= 0 ? -1 : tid },
		.pieces = ARRAY_OF(struct aux_piece),
		.losses = ARRAY_OF(struct aux_loss),
		.spans = ARRAY_OF(struct aux_span),
	};
}

void stream_builder_free(struct stream_builder *builder)
{
	array_free(&builder->pieces);
	array_free(&builder->losses);
	array_free(&builder->spans);
}

int stream_builder_add_loss(struct stream_builder *builder,
			    struct aux_loss loss)
{
	return array_append(&builder->losses, &loss);
}

static void trim_front(struct aux_piece *piece, uint64_t count)
{
	if (count > piece->size_bytes)
		count = piece->size_bytes;
	piece->offset += count;
	piece->file_offset += count;
	piece->bytes += count;
	piece->size_bytes -= count;
}

/* perf pads a slice to 8 bytes; the start of the next shows the true size. */
static void cut_padding(struct aux_stream *stream, struct aux_piece *before,
			uint64_t count)
{
	if (count > 7 || count > before->size_bytes)
		return;
	before->size_bytes -= count;
	stream->size_bytes -= count;
}

/* Trims @piece to follow the previous slices. Offsets of snapshots are not
 * positions in a longer stream: they are counted from the previous slice.
 */
static int fit_piece(struct stream_builder *builder, struct aux_piece *before,
		     struct aux_piece *piece, bool is_snapshot)
{
	uint64_t end = before->offset + before->size_bytes;

	if (is_snapshot) {
		uint64_t shared =
			snapshot_overlap(before->bytes, before->size_bytes,
					 piece->bytes, piece->size_bytes);

		trim_front(piece, shared);
		piece->offset = end;
		if (shared)
			return 0;
	} else if (piece->offset <= end) {
		cut_padding(&builder->stream, before, end - piece->offset);
		end = before->offset + before->size_bytes;
		trim_front(piece, end - piece->offset);
		return 0;
	}
	return stream_builder_add_loss(builder,
				       (struct aux_loss){ .offset = end });
}

int stream_builder_fit(struct stream_builder *builder, bool is_snapshot)
{
	struct array *pieces = &builder->pieces;
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < pieces->count && !error; i++) {
		struct aux_piece *piece = array_at(pieces, i);
		struct aux_piece *place = array_at(pieces, kept);

		if (kept)
			error = fit_piece(builder, place - 1, piece,
					  is_snapshot);
		if (!piece->size_bytes)
			continue;
		*place = *piece;
		kept++;
		builder->stream.size_bytes += piece->size_bytes;
	}
	pieces->count = kept;
	return error;
}

static int compare_losses(const void *a, const void *b)
{
	const struct aux_loss *left = a;
	const struct aux_loss *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

struct aux_stream stream_builder_stream(struct stream_builder *builder)
{
	struct aux_stream stream = builder->stream;

	array_sort(&builder->losses, compare_losses);
	stream.pieces = builder->pieces.items;
	stream.piece_count = builder->pieces.count;
	stream.losses = builder->losses.items;
	stream.loss_count = builder->losses.count;
	return stream;
}
