/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_scan.h"
#include "common/array.h"
#include "decoder/coresight/coresight_tree.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/recording.h"

enum {
	/* Default distance in bytes between a unit's synchronization packets.
	 */
	USUAL_BYTES = 1 << 12,
};

size_t coresight_scan_piece(const struct aux_stream *stream, uint64_t position)
{
	size_t low = 0;
	size_t high = stream->piece_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (stream->pieces[middle].offset <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Scans the slice from byte @from to @to. */
static bool scan_piece(struct coresight_scan *scan,
		       const struct aux_piece *piece, uint64_t from,
		       uint64_t to, struct coresight_sync *sync)
{
	struct coresight_window *window = &scan->window;
	const struct coresight_unit *unit = array_at(
		recording_coresight_units(scan->recording), piece->unit);
	size_t zeros = coresight_tree_sync_zeros(unit);
	bool passed;

	coresight_window_begin(window, piece,
			       unit->trace_id & CORESIGHT_ID_MASK, true);
	/* The packet may start in the window before. */
	if (from > CORESIGHT_WINDOW_SIZE)
		coresight_window_skip(window, from - CORESIGHT_WINDOW_SIZE);
	while (window->next < to && coresight_window_next(window)) {
		if (!window->zeros)
			sync->from = piece->offset + window->start;
		while (coresight_window_find_sync(window, window->done, zeros,
						  &passed)) {
			uint64_t last = coresight_window_place(
				window, window->done - 1);

			sync->end = piece->offset + last + 1;
			if (last >= from)
				return true;
		}
	}
	return false;
}

bool coresight_scan_next(struct coresight_scan *scan, uint64_t from,
			 uint64_t to, struct coresight_sync *sync)
{
	const struct aux_stream *stream = scan->stream;

	if (!stream->piece_count)
		return false;
	for (size_t i = coresight_scan_piece(stream, from);
	     i < stream->piece_count && stream->pieces[i].offset < to; i++) {
		const struct aux_piece *piece = &stream->pieces[i];
		uint64_t before = piece->offset;

		if (scan_piece(scan, piece, from > before ? from - before : 0,
			       to - before, sync))
			return true;
	}
	return false;
}

uint64_t coresight_scan_before(struct coresight_scan *scan, uint64_t position)
{
	uint64_t distance = 2 * USUAL_BYTES;
	struct coresight_sync sync;

	for (; distance < position; distance *= 2)
		if (coresight_scan_next(scan, position - distance, position,
					&sync) &&
		    sync.end + CORESIGHT_SYNC_OWN <= position)
			return sync.from;
	return 0;
}
