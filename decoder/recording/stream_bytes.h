/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_STREAM_BYTES_H
#define KT_DECODER_STREAM_BYTES_H

#include "common/file_map.h"

struct aux_stream;
struct log;

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

#endif
