/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SCAN_H
#define KT_DECODER_CORESIGHT_SCAN_H

#include "decoder/coresight/coresight_window.h"

#include <stdbool.h>
#include <stdint.h>

struct aux_stream;
struct recording;

/* Looks for alignment synchronisation packets in a stream of ETMv4 or ETE by
 * their pattern, also in frames: packets between them are not read.  One that
 * lies in two pieces is passed over.
 */
struct coresight_scan {
	const struct recording *recording;
	const struct aux_stream *stream;
	struct coresight_window window;
};

/* Trace info follows within so many bytes, but for other sources' frames. */
enum { CORESIGHT_SYNC_OWN = 64 };

/* Places in the stream's bytes. */
struct coresight_sync {
	uint64_t from; /* who reads from here on meets the packet */
	uint64_t end;  /* right behind it */
};

/* Finds the first one that ends behind @from and before the window that holds
 * @to.  Returns whether there is one.
 */
bool coresight_scan_next(struct coresight_scan *scan, uint64_t from,
			 uint64_t to, struct coresight_sync *sync);

/* Returns from where on to read so that all is known at @position: from some
 * packet before the one at @position, or from the stream's begin.
 */
uint64_t coresight_scan_before(struct coresight_scan *scan, uint64_t position);

/* Returns the piece that byte @position of @stream lies in, the last one if it
 * lies behind all, which must not be none.
 */
size_t coresight_scan_piece(const struct aux_stream *stream, uint64_t position);

#endif
