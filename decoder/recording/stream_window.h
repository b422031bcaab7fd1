/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_STREAM_WINDOW_H
#define KT_DECODER_STREAM_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct data_file;

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
