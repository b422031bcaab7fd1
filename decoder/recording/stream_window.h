/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_STREAM_WINDOW_H
#define KT_DECODER_STREAM_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct data_file;

/* A stream's kept bytes, some of them at a time in one stretch of addresses.
 * Those in one piece of a file are in place; several pieces, which do not join
 * there, are copied when they are reached, again and again into the same little
 * memory, which stays in the processor's cache.
 */
struct stream_window {
	const uint8_t *bytes; /* where byte 0 is, or would be */
	size_t size;
	const struct aux_stream *stream;
	const struct data_file *file;
	uint8_t *copy;	    /* NULL: the bytes are in place */
	size_t *ends;	    /* of each piece, in the bytes */
	size_t copied_from; /* what is in the copy, */
	size_t copied_to;
	size_t way;	 /* and how much went through it without a jump */
	size_t released; /* in place: bytes before this were given back */
};

/* Borrows @stream, and @file, in which its pieces may lie.  Returns 0 or
 * -ERROR_MEMORY.
 */
int stream_window_open(struct stream_window *window,
		       const struct aux_stream *stream,
		       const struct data_file *file);
void stream_window_close(struct stream_window *window);

/* Makes the bytes from @from up to @to readable, as far as there are so many, and
 * none else: all that were may lie elsewhere now.  Returns where byte 0 is, or
 * would be, from now on: window->bytes.
 */
const uint8_t *stream_window_reach(struct stream_window *window, size_t from,
				   size_t to);

/* The bytes before @to will not be looked at soon: memory does not grow with the
 * trace.
 */
void stream_window_release(struct stream_window *window, size_t to);

#endif
