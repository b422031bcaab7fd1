/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_STREAM_WINDOW_H
#define KT_DECODER_RECORDING_STREAM_WINDOW_H

#include "common/file_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct data_file;
struct log;

/* PSB, the packet where a decoder can start: Intel SDM, volume 3, 33.4.2.17. */
enum { INTEL_PSB_SIZE = 16 };

extern const uint8_t intel_psb[INTEL_PSB_SIZE];

/* Returns the position of the first PSB in @bytes at or after @from, @size if
 * there is none.
 */
size_t intel_psb_find(const uint8_t *bytes, size_t size, size_t from);

/* Makes the bytes from @from up to @to readable, as far as they exist, and may
 * make all others unreadable. Returns the current address of byte 0, which need
 * not be readable.
 */
typedef const uint8_t *intel_psb_reach_bytes(void *ctx, size_t from, size_t to);

/* Like intel_psb_find(), for bytes that are not all readable: calls @reach with
 * @ctx to make them so. If @reach is NULL, reads @bytes.
 */
size_t intel_psb_reach(const uint8_t *bytes, size_t size, size_t from,
		       intel_psb_reach_bytes *reach, void *ctx);

/* A stream's recorded bytes, contiguous in memory: in place if they are one
 * slice, else in a temporary file.
 */
struct stream_bytes {
	const uint8_t *bytes;
	size_t size;
	struct file_map joined;
};

/* Borrows @stream. Returns 0 or -ERROR_SYSTEM with the cause in @log. */
int stream_bytes_open(struct stream_bytes *bytes,
		      const struct aux_stream *stream, const struct log *log);

void stream_bytes_close(struct stream_bytes *bytes);

/* Informs the system that the bytes before @position will not be read again, so
 * that memory does not grow with the trace. @from is 0 in the first call, then
 * the previous result.
 */
size_t stream_bytes_release(const struct stream_bytes *bytes, size_t from,
			    size_t position);

/* Iterates over a stream's losses, which have the kernel's offsets, and
 * converts them to positions in the recorded bytes. To start, set @stream,
 * which is borrowed, and zero the rest.
 */
struct loss_cursor {
	const struct aux_stream *stream;
	size_t loss;	    /* index of the next loss */
	size_t piece;	    /* first slice that may contain it */
	size_t piece_start; /* in the recorded bytes */
};

/* Advances to the first loss after recorded byte @from, which must not
 * decrease. Returns its position, or the number of recorded bytes if no loss is
 * left among them.
 */
size_t loss_cursor_next(struct loss_cursor *cursor, size_t from);

/* Returns whether the cursor is at a loss. */
bool loss_cursor_is_at_loss(const struct loss_cursor *cursor);

/* For a stream that ends with a loss, returns the time of the record of that
 * loss, until which its trace is missing; 0 if it does not end with one.
 */
uint64_t loss_at_end_ns(const struct aux_stream *stream);

/* A sync point of a stream with its time. */
struct sync_point {
	size_t position; /* in the stream's bytes */
	uint64_t ticks;
};

/* Access to the timed sync points of a stream, without reading the trace
 * between them.
 */
struct point_search {
	size_t size; /* of the stream */
	/* Finds the first timed sync point at or after @from within the first
	 * @size bytes. Returns whether there is one.
	 */
	bool (*next)(void *ctx, size_t size, size_t from,
		     struct sync_point *point);
	void *ctx;
};

/* Finds the last sync point that is not later than @ticks, by bisection: sync
 * points are ordered by time. In a damaged stream it may find a different one.
 * Returns whether there is one.
 */
bool point_search_before(const struct point_search *search, uint64_t ticks,
			 struct sync_point *point);

/* A window on a stream's recorded bytes in one range of addresses. A stream of
 * one slice in a file is read in place; several slices, which are not adjacent
 * there, are copied when they are reached, always into the same small buffer,
 * which stays in the processor's cache.
 */
struct stream_window {
	/* address of byte 0, which need not be readable */
	const uint8_t *bytes;
	size_t size;
	const struct aux_stream *stream;
	const struct data_file *file;
	uint8_t *copy;	    /* NULL: the bytes are in place */
	size_t *ends;	    /* of each slice, in the bytes */
	size_t copied_from; /* start of the copied bytes, */
	size_t copied_to;
	size_t way;	 /* and the bytes read sequentially since a jump */
	size_t released; /* in place: end of the bytes given back */
};

/* Borrows @stream, and @file, which may contain its slices. Returns 0 or
 * -ERROR_MEMORY.
 */
int stream_window_open(struct stream_window *window,
		       const struct aux_stream *stream,
		       const struct data_file *file);

void stream_window_close(struct stream_window *window);

/* Makes the bytes from @from up to @to readable, as far as they exist, and no
 * others: earlier bytes may have moved. Returns the new address of byte 0,
 * which need not be readable: window->bytes.
 */
const uint8_t *stream_window_reach(struct stream_window *window, size_t from,
				   size_t to);

/* Must be called when the bytes before @to will not be read soon, so that
 * memory does not grow with the trace.
 */
void stream_window_release(struct stream_window *window, size_t to);

#endif
