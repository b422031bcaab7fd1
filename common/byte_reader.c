/* SPDX-License-Identifier: MIT */
#include "common/byte_reader.h"

#include <endian.h>
#include <string.h>

struct byte_reader byte_reader_of(const void *bytes, size_t size)
{
	return (struct byte_reader){ .bytes = bytes, .size = size };
}

const uint8_t *byte_reader_bytes(struct byte_reader *reader, size_t size)
{
	if (reader->failed || size > reader->size - reader->position) {
		reader->failed = true;
		return NULL;
	}

	const uint8_t *bytes = reader->bytes + reader->position;

	reader->position += size;
	return bytes;
}

static inline uint64_t read_integer(struct byte_reader *reader, size_t size)
{
	const uint8_t *bytes = byte_reader_bytes(reader, size);
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, size);
	return le64toh(value);
}

uint8_t byte_reader_u8(struct byte_reader *reader)
{
	return (uint8_t)read_integer(reader, 1);
}

uint16_t byte_reader_u16(struct byte_reader *reader)
{
	return (uint16_t)read_integer(reader, 2);
}

uint32_t byte_reader_u32(struct byte_reader *reader)
{
	return (uint32_t)read_integer(reader, 4);
}

uint64_t byte_reader_u64(struct byte_reader *reader)
{
	return read_integer(reader, 8);
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

size_t byte_reader_left(const struct byte_reader *reader)
{
	return reader->failed ? 0 : reader->size - reader->position;
}
