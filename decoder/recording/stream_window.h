/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_STREAM_WINDOW_H
#define KT_DECODER_STREAM_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct data_file;

/* A stream's kept bytes in one stretch of addresses, of which only what is
 * looked at takes memory: pieces of a file that do not join there are copied
 * when they are reached.
 */
struct stream_window {
	const uint8_t *bytes; /* where byte 0 is, or would be */
	size_t size;
	const struct aux_stream *stream;
	const struct data_file *file;
	uint8_t *copy;	    /* NULL: the bytes are in place */
	size_t copy_begin;  /* where in the stream the copy's memory begins */
	size_t *ends;	    /* of each piece, in the bytes */
	size_t copied_from; /* what is there of the copy */
	size_t copied_to;
	size_t released; /* bytes before this were given back */
};

/* Borrows @stream, and @file, in which its pieces may lie.  Returns 0 or
 * -ERROR_MEMORY.
 */
int stream_window_open(struct stream_window *window,
		       const struct aux_stream *stream,
		       const struct data_file *file);
void stream_window_close(struct stream_window *window);

/* All that follows is at @from or behind: bytes that were readable are so no
 * more, @window->bytes is another, and what comes takes the memory of what was.
 */
void stream_window_move(struct stream_window *window, size_t from);

/* Makes the bytes from @from up to @to readable, as far as there are so many,
 * and keeps those before that are; going back makes others unreadable.
 */
void stream_window_reach(struct stream_window *window, size_t from, size_t to);

/* The bytes before @to will not be looked at again: so memory does not grow with
 * the trace.
 */
void stream_window_release(struct stream_window *window, size_t to);

#endif
