/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/channel/frame.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/channel/frame_header.h"

struct frame_reader {
	int fd;
	size_t begin;
	size_t end;
	char buffer[2 * (sizeof(struct frame_header) + FRAME_PAYLOAD_MAX)];
};

struct frame_reader *frame_reader_new(int fd)
{
	struct frame_reader *reader = calloc(1, sizeof(*reader));

	if (reader)
		reader->fd = fd;
	return reader;
}

void frame_reader_free(struct frame_reader *reader)
{
	free(reader);
}

int frame_reader_fill(struct frame_reader *reader)
{
	ssize_t got;

	memmove(reader->buffer, reader->buffer + reader->begin,
		reader->end - reader->begin);
	reader->end -= reader->begin;
	reader->begin = 0;
	assert(reader->end < sizeof(reader->buffer));
	got = read(reader->fd, reader->buffer + reader->end,
		   sizeof(reader->buffer) - reader->end);
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	reader->end += (size_t)got;
	return got > 0;
}

int frame_reader_next(struct frame_reader *reader, struct frame *frame)
{
	struct frame_header header;
	size_t available = reader->end - reader->begin;

	if (available < sizeof(header))
		return 0;
	memcpy(&header, reader->buffer + reader->begin, sizeof(header));
	if (header.length > FRAME_PAYLOAD_MAX || header.stream > 2)
		return -EPROTO;
	if (available < sizeof(header) + header.length)
		return 0;
	frame->type = header.type;
	frame->stream = header.stream;
	frame->length = header.length;
	frame->payload = reader->buffer + reader->begin + sizeof(header);
	reader->begin += sizeof(header) + header.length;
	return 1;
}

uint32_t frame_number(const struct frame *frame, unsigned int index)
{
	uint32_t number = 0;

	if ((index + 1) * sizeof(number) <= frame->length)
		memcpy(&number, frame->payload + index * sizeof(number),
		       sizeof(number));
	return number;
}
