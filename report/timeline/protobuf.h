/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROTOBUF_H
#define KT_REPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One protocol buffers message being written, of limited size.  Source: the
 * encoding page of the Protocol Buffers documentation.
 */
struct protobuf {
	size_t size;
	bool is_full; /* a field did not fit and was left out */
	uint8_t bytes[4096];
};

/* Maximum size that protobuf_varint() writes. */
enum { PROTOBUF_VARINT_MOST = 10 };

/* Starts a message, without clearing the bytes that will be overwritten. */
static inline void protobuf_start(struct protobuf *message)
{
	message->size = 0;
	message->is_full = false;
}

/* Writes @value to @bytes and returns its size. */
static inline size_t protobuf_varint(uint8_t *bytes, uint64_t value)
{
	size_t size = 0;

	while (value >= 0x80) {
		bytes[size++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	bytes[size++] = (uint8_t)value;
	return size;
}

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
};

static inline size_t protobuf_key(uint8_t *bytes, uint32_t field,
				  enum protobuf_wire type)
{
	return protobuf_varint(bytes, (uint64_t)field << 3 | type);
}

/* Writes the header of a text or message field of @size bytes: at most
 * PROTOBUF_HEAD_MOST bytes. Returns its size.
 */
static inline size_t protobuf_head(uint8_t *bytes, uint32_t field, size_t size)
{
	size_t head = protobuf_key(bytes, field, PROTOBUF_BYTES);

	return head + protobuf_varint(bytes + head, size);
}

enum { PROTOBUF_HEAD_MOST = 2 * PROTOBUF_VARINT_MOST };

/* Returns whether a whole field of @size bytes plus its header fits; if not,
 * the field must be left out, since a partial one would corrupt the rest.
 */
static inline bool protobuf_has_room(struct protobuf *message, size_t size)
{
	if (size <= sizeof(message->bytes) - PROTOBUF_HEAD_MOST &&
	    message->size <= sizeof(message->bytes) - PROTOBUF_HEAD_MOST - size)
		return true;
	message->is_full = true;
	return false;
}

static inline void protobuf_number(struct protobuf *message, uint32_t field,
				   uint64_t value)
{
	uint8_t *end = message->bytes + message->size;

	if (!protobuf_has_room(message, 0))
		return;
	end += protobuf_key(end, field, PROTOBUF_VARINT);
	end += protobuf_varint(end, value);
	message->size = (size_t)(end - message->bytes);
}

static inline void protobuf_fixed64(struct protobuf *message, uint32_t field,
				    uint64_t value)
{
	uint8_t *end = message->bytes + message->size;

	if (!protobuf_has_room(message, sizeof(value)))
		return;
	end += protobuf_key(end, field, PROTOBUF_FIXED64);
	for (size_t i = 0; i < sizeof(value); i++)
		*end++ = (uint8_t)(value >> 8 * i);
	message->size = (size_t)(end - message->bytes);
}

static inline void protobuf_bytes(struct protobuf *message, uint32_t field,
				  const void *bytes, size_t size)
{
	if (!protobuf_has_room(message, size))
		return;
	message->size +=
		protobuf_head(message->bytes + message->size, field, size);
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

static inline void protobuf_text(struct protobuf *message, uint32_t field,
				 const char *text)
{
	protobuf_bytes(message, field, text, strlen(text));
}

static inline void protobuf_message(struct protobuf *message, uint32_t field,
				    const struct protobuf *inner)
{
	protobuf_bytes(message, field, inner->bytes, inner->size);
}

#endif
