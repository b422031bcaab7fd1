/* SPDX-License-Identifier: MIT */
#include "decoder/recording/loss_cursor.h"
#include "decoder/recording/recording.h"

#include <stdint.h>

bool loss_cursor_is_at_loss(const struct loss_cursor *cursor)
{
	return cursor->loss < cursor->stream->loss_count;
}

size_t loss_cursor_next(struct loss_cursor *cursor, size_t from)
{
	const struct aux_stream *stream = cursor->stream;

	while (cursor->piece < stream->piece_count) {
		const struct aux_piece *piece = &stream->pieces[cursor->piece];

		while (loss_cursor_is_at_loss(cursor)) {
			uint64_t lost = stream->losses[cursor->loss].offset;
			size_t at = cursor->piece_start;

			if (lost > piece->offset + piece->size_bytes)
				break;
			if (lost > piece->offset)
				at += lost - piece->offset;
			if (at > from)
				return at;
			cursor->loss++;
		}
		cursor->piece_start += piece->size_bytes;
		cursor->piece++;
	}
	return cursor->piece_start;
}

uint64_t loss_at_end_ns(const struct aux_stream *stream)
{
	/* A trace record is padded to a multiple of eight bytes. */
	enum { FILLED_MOST = 7 };
	const struct aux_piece *piece;
	const struct aux_loss *loss;

	if (!stream->loss_count || !stream->piece_count)
		return 0;
	piece = &stream->pieces[stream->piece_count - 1];
	loss = &stream->losses[stream->loss_count - 1];
	return loss->offset + FILLED_MOST >= piece->offset + piece->size_bytes ?
		       loss->time_ns :
		       0;
}
