/* SPDX-License-Identifier: MIT */
#include "common/byte_buffer.h"
#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint8_t *byte_buffer_reserve(struct byte_buffer *buffer, size_t more)
{
	size_t room = buffer->room ? buffer->room : 256;
	uint8_t *bytes;

	if (buffer->failed)
		return NULL;
	while (room < buffer->size + more)
		room *= 2;
	if (room != buffer->room) {
		bytes = realloc(buffer->bytes, room);
		if (!bytes) {
			buffer->failed = true;
			return NULL;
		}
		buffer->bytes = bytes;
		buffer->room = room;
	}
	return buffer->bytes + buffer->size;
}

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t size)
{
	if (!size || !byte_buffer_reserve(buffer, size))
		return;
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

void byte_buffer_zeros(struct byte_buffer *buffer, size_t size)
{
	if (!size || !byte_buffer_reserve(buffer, size))
		return;
	memset(buffer->bytes + buffer->size, 0, size);
	buffer->size += size;
}

void byte_buffer_u32(struct byte_buffer *buffer, uint32_t value)
{
	byte_buffer_add(buffer, &value, sizeof(value));
}

void byte_buffer_u64(struct byte_buffer *buffer, uint64_t value)
{
	byte_buffer_add(buffer, &value, sizeof(value));
}

void byte_buffer_text(struct byte_buffer *buffer, const char *text)
{
	byte_buffer_add(buffer, text, strlen(text) + 1);
}

void byte_buffer_align(struct byte_buffer *buffer, size_t alignment)
{
	size_t over = buffer->size % alignment;

	if (over)
		byte_buffer_zeros(buffer, alignment - over);
}

static int read_all(struct byte_buffer *buffer, int fd)
{
	enum { PIECE = 65536 };

	while (byte_buffer_reserve(buffer, PIECE)) {
		ssize_t got = read(fd, buffer->bytes + buffer->size, PIECE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -ERROR_SYSTEM : 0;
		buffer->size += (size_t)got;
	}
	return 0;
}

int byte_buffer_file(struct byte_buffer *buffer, const char *path)
{
	size_t before = buffer->size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -ERROR_SYSTEM;
	error = read_all(buffer, fd);
	if (error)
		buffer->size = before;

	int saved = errno;

	close(fd);
	errno = saved;
	return error;
}

void byte_buffer_free(struct byte_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct byte_buffer){ 0 };
}
