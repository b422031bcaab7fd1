/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RING_FILL_H
#define KT_DECODER_RING_FILL_H

#include "decoder/intel_pt/intel_clock.h"
#include "decoder/recording/aux_stream.h"

#include <stddef.h>
#include <stdint.h>

struct recording;

/* How much trace a CPU's ring held over time: an iterator over some of the
 * trace's sync points. Each slice of a stream is what the recorder read from the
 * ring at once (one AUXTRACE record), so at a sync point the ring held the bytes
 * from the slice's start to that point. Source: tools/perf/util/auxtrace.c,
 * __auxtrace_mmap__read().
 */
struct ring_fill {
	const struct time_conversion *conversion;
	const struct aux_stream *stream;
	struct stream_bytes bytes;
	struct sync_search search;
	size_t at;	    /* where the next sync point is searched */
	size_t piece;	    /* index of the slice of the last sync point */
	size_t piece_start; /* its position in the stream's bytes */
};

/* Starts an iterator for @stream. Borrows @recording and @stream. Returns 0:
 * ring_fill_close() closes it; -ERROR_UNSUPPORTED if the trace is not Intel PT
 * or its clock is unknown; -ERROR_SYSTEM with the cause in the recording's log.
 */
int ring_fill_open(struct ring_fill *fill, const struct recording *recording,
		   const struct aux_stream *stream);

/* Returns 1, the time of a sync point in *@time_ns, and the bytes in the ring in
 * *@bytes; 0 at the end. There is one point for each slice, and one for each
 * further 32 KiB of it.
 */
int ring_fill_next(struct ring_fill *fill, uint64_t *time_ns, uint64_t *bytes);

void ring_fill_close(struct ring_fill *fill);

#endif
