/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SCAN_H
#define KT_DECODER_CORESIGHT_SCAN_H

#include "decoder/coresight/coresight_window.h"

#include <stdbool.h>
#include <stdint.h>

struct aux_stream;
struct recording;

/* Searches a stream of ETMv4 or ETE for alignment synchronization packets by
 * their pattern, also in frames, without parsing the packets between them. A
 * synchronization packet that spans two slices is not found.
 */
struct coresight_scan {
	const struct recording *recording;
	const struct aux_stream *stream;
	struct coresight_window window;
};

/* Trace info follows within this many bytes, other sources' frames excluded. */
enum { CORESIGHT_SYNC_OWN = 64 };

/* Positions in the stream's bytes. */
struct coresight_sync {
	uint64_t from; /* reading from here on finds the packet */
	uint64_t end;  /* right after it */
};

/* Finds the first synchronization packet that ends after @from, up to the end
 * of the window that contains the byte before @to. Returns whether there is
 * one.
 */
bool coresight_scan_next(struct coresight_scan *scan, uint64_t from,
			 uint64_t to, struct coresight_sync *sync);

/* Returns the position to start decoding from so that the state is complete at
 * @position: an earlier synchronization packet, or the start of the stream.
 */
uint64_t coresight_scan_before(struct coresight_scan *scan, uint64_t position);

/* Returns the index of the slice that contains byte @position of @stream, or of
 * the last slice if it is after all. @stream must have slices.
 */
size_t coresight_scan_piece(const struct aux_stream *stream, uint64_t position);

#endif
