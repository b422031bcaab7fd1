/* SPDX-License-Identifier: MIT */
#include "decoder/ring_fill.h"

#include "common/error.h"
#include "decoder/recording/recording.h"

enum { STEP_BYTES = 32 << 10 };

int ring_fill_open(struct ring_fill *fill, const struct recording *recording,
		   const struct aux_stream *stream)
{
	const struct time_conversion *conversion =
		recording_time_conversion(recording);
	int error;

	*fill = (struct ring_fill){ .conversion = conversion,
				    .stream = stream };
	if (recording_trace(recording) != RECORDING_TRACE_INTEL_PT ||
	    !conversion->known)
		return -ERROR_UNSUPPORTED;
	error = stream_bytes_open(&fill->bytes, stream,
				  recording_log(recording));
	if (error)
		return error;
	fill->search = (struct sync_search){ .bytes = fill->bytes.bytes,
					     .size = fill->bytes.size,
					     .origin = conversion->origin };
	return 0;
}

/* Returns the position after the slice that contains @position, to which it
 * advances.
 */
static size_t reach_piece(struct ring_fill *fill, size_t position)
{
	for (;;) {
		size_t end = fill->piece_start +
			     fill->stream->pieces[fill->piece].size_bytes;

		if (position < end)
			return end;
		fill->piece_start = end;
		fill->piece++;
	}
}

int ring_fill_next(struct ring_fill *fill, uint64_t *time_ns, uint64_t *bytes)
{
	struct sync_point point;
	size_t end;

	if (!sync_search_next(&fill->search, fill->at, &point))
		return 0;
	end = reach_piece(fill, point.position);
	fill->at = point.position + STEP_BYTES;
	if (fill->at > end)
		fill->at = end;
	*time_ns = time_conversion_ns(fill->conversion, point.ticks);
	*bytes = point.position - fill->piece_start;
	return 1;
}

void ring_fill_close(struct ring_fill *fill)
{
	stream_bytes_close(&fill->bytes);
}
