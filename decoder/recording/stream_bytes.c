/* SPDX-License-Identifier: MIT */
#include "decoder/recording/stream_bytes.h"
#include "common/file_map.h"
#include "decoder/recording/recording.h"

#include <unistd.h>

static int join(struct stream_bytes *bytes, const struct aux_stream *stream,
		const struct log *log)
{
	int fd = file_map_temporary(log);
	int error = fd < 0 ? fd : 0;

	for (size_t i = 0; i < stream->piece_count && !error; i++) {
		error = file_map_append(fd, stream->pieces[i].bytes,
					stream->pieces[i].size_bytes, log);
		pages_release(stream->pieces[i].bytes, 0,
			      stream->pieces[i].size_bytes);
	}
	if (!error)
		error = file_map_open_fd(&bytes->joined, fd);
	if (fd >= 0)
		close(fd);
	bytes->bytes = bytes->joined.bytes;
	bytes->size = bytes->joined.size;
	return error;
}

int stream_bytes_open(struct stream_bytes *bytes,
		      const struct aux_stream *stream, const struct log *log)
{
	*bytes = (struct stream_bytes){ 0 };
	if (!stream->piece_count)
		return 0;
	if (stream->piece_count > 1)
		return join(bytes, stream, log);
	bytes->bytes = stream->pieces[0].bytes;
	bytes->size = stream->pieces[0].size_bytes;
	return 0;
}

void stream_bytes_close(struct stream_bytes *bytes)
{
	file_map_close(&bytes->joined);
}

size_t stream_bytes_release(const struct stream_bytes *bytes, size_t from,
			    size_t position)
{
	return pages_release(bytes->bytes, from, position);
}
