/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/channel/frame.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/channel/frame_header.h"

struct frame_writer {
	int fd;
	char *queue;
	size_t begin;
	size_t end;
	size_t capacity;
};

struct frame_writer *frame_writer_new(int fd)
{
	struct frame_writer *writer = calloc(1, sizeof(*writer));

	if (writer)
		writer->fd = fd;
	return writer;
}

void frame_writer_free(struct frame_writer *writer)
{
	if (!writer)
		return;
	free(writer->queue);
	free(writer);
}

size_t frame_writer_pending(const struct frame_writer *writer)
{
	return writer->end - writer->begin;
}

static int make_room(struct frame_writer *writer, size_t size)
{
	size_t pending = frame_writer_pending(writer);
	size_t capacity = writer->capacity ? writer->capacity : 65536;
	char *queue;

	if (pending)
		memmove(writer->queue, writer->queue + writer->begin, pending);
	writer->begin = 0;
	writer->end = pending;
	while (capacity - pending < size)
		capacity *= 2;
	queue = realloc(writer->queue, capacity);
	if (!queue)
		return -ENOMEM;
	writer->queue = queue;
	writer->capacity = capacity;
	return 0;
}

static void append(struct frame_writer *writer, const void *data, size_t size)
{
	if (size)
		memcpy(writer->queue + writer->end, data, size);
	writer->end += size;
}

int frame_writer_put(struct frame_writer *writer, enum frame_type type,
		     unsigned int stream, const void *payload, size_t length)
{
	struct frame_header header = {
		.type = (uint8_t)type,
		.stream = (uint8_t)stream,
		.length = (uint32_t)length,
	};
	int error = 0;

	assert(length <= FRAME_PAYLOAD_MAX);
	if (writer->capacity - writer->end < sizeof(header) + length)
		error = make_room(writer, sizeof(header) + length);
	if (error)
		return error;
	append(writer, &header, sizeof(header));
	append(writer, payload, length);
	return 0;
}

int frame_writer_put_numbers(struct frame_writer *writer, enum frame_type type,
			     unsigned int stream, uint32_t first,
			     uint32_t second)
{
	uint32_t numbers[] = { first, second };

	return frame_writer_put(writer, type, stream, numbers, sizeof(numbers));
}

int frame_writer_flush(struct frame_writer *writer)
{
	while (frame_writer_pending(writer)) {
		ssize_t put = write(writer->fd, writer->queue + writer->begin,
				    frame_writer_pending(writer));

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return errno == EAGAIN ? 0 : -errno;
		writer->begin += (size_t)put;
	}
	return 0;
}
