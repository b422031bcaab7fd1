/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"

#include "common/error.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes room for @more bytes, more than there is. Returns whether it did. */
__attribute__((noinline)) static bool grow(struct byte_buffer *buffer,
					   size_t more)
{
	size_t room = buffer->room ? buffer->room : 256;
	uint8_t *bytes;

	while (room && room - buffer->size < more)
		room *= 2;
	bytes = room ? realloc(buffer->bytes, room) : NULL;
	if (!bytes) {
		buffer->failed = true;
		return false;
	}
	buffer->bytes = bytes;
	buffer->room = room;
	return true;
}

static inline uint8_t *reserve(struct byte_buffer *buffer, size_t more)
{
	if (buffer->failed ||
	    ((!buffer->room || buffer->room - buffer->size < more) &&
	     !grow(buffer, more)))
		return NULL;
	return buffer->bytes + buffer->size;
}

uint8_t *byte_buffer_reserve(struct byte_buffer *buffer, size_t more)
{
	return reserve(buffer, more);
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

const char *byte_reader_text(struct byte_reader *reader)
{
	size_t left = byte_reader_left(reader);
	const char *text = (const char *)reader->bytes + reader->position;

	if (!left || !memchr(text, '\0', left)) {
		reader->failed = true;
		return "";
	}
	reader->position += strlen(text) + 1;
	return text;
}

struct pack pack_to_write(void)
{
	return (struct pack){ 0 };
}

void pack_free(struct pack *pack)
{
	byte_buffer_free(&pack->out);
	*pack = (struct pack){ 0 };
}

struct pack pack_to_read(const void *bytes, size_t size)
{
	return (struct pack){
		.is_reading = true,
		.reader = byte_reader_of(bytes, size),
	};
}

static inline void write_bytes(struct pack *pack, uint64_t value, size_t size)
{
	uint8_t *bytes = pack->failed ? NULL : reserve(&pack->out, size);

	pack->failed |= !bytes;
	if (pack->failed)
		return;
	value = htole64(value);
	memcpy(bytes, &value, size);
	pack->out.size += size;
}

static uint64_t read_bytes(struct pack *pack, size_t size)
{
	const uint8_t *bytes = byte_reader_bytes(&pack->reader, size);
	uint64_t value = 0;

	pack->failed |= !bytes;
	if (pack->failed)
		return 0;
	memcpy(&value, bytes, size);
	return le64toh(value);
}

void pack_u64(struct pack *pack, uint64_t *value)
{
	if (pack->is_reading)
		*value = read_bytes(pack, 8);
	else
		write_bytes(pack, *value, 8);
}

void pack_u32(struct pack *pack, uint32_t *value)
{
	if (pack->is_reading)
		*value = (uint32_t)read_bytes(pack, 4);
	else
		write_bytes(pack, *value, 4);
}

void pack_i32(struct pack *pack, int32_t *value)
{
	uint32_t bits = (uint32_t)*value;

	pack_u32(pack, &bits);
	*value = (int32_t)bits;
}

void pack_i64(struct pack *pack, int64_t *value)
{
	uint64_t bits = (uint64_t)*value;

	pack_u64(pack, &bits);
	*value = (int64_t)bits;
}

void pack_small(struct pack *pack, uint8_t *value, uint8_t most)
{
	if (!pack->is_reading) {
		write_bytes(pack, *value, 1);
		return;
	}
	*value = (uint8_t)read_bytes(pack, 1);
	pack_check(pack, *value <= most);
	if (*value > most)
		*value = 0;
}

void pack_bool(struct pack *pack, bool *value)
{
	uint8_t bit = !pack->is_reading && *value;

	pack_small(pack, &bit, 1);
	*value = bit;
}

void pack_check(struct pack *pack, bool holds)
{
	pack->failed |= !holds;
}

bool pack_is_whole(const struct pack *pack)
{
	return !pack->failed &&
	       !(pack->is_reading && byte_reader_left(&pack->reader));
}

size_t text_skip_line(const char **text, size_t *size)
{
	const char *end = memchr(*text, '\n', *size);
	size_t length = end ? (size_t)(end - *text) : *size;
	size_t used = end ? length + 1 : length;

	*text += used;
	*size -= used;
	return length;
}

uint64_t pack_hash(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;

		memcpy(&word, at, 8);
		hash = pack_hash_number(hash, word);
	}
	for (; size; size--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}
