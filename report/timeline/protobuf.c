/* SPDX-License-Identifier: MIT */
#include "report/timeline/protobuf.h"

#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static void put_bytes(struct protobuf *message, const void *bytes, size_t size)
{
	if (size > sizeof(message->bytes) - message->size) {
		message->is_full = true;
		return;
	}
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

static void put_varint(struct protobuf *message, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	while (value >= 0x80) {
		bytes[size++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	bytes[size++] = (uint8_t)value;
	put_bytes(message, bytes, size);
}

static void put_key(struct protobuf *message, uint32_t field,
		    enum wire_type type)
{
	put_varint(message, (uint64_t)field << 3 | type);
}

static void put_block(struct protobuf *message, uint32_t field,
		      const void *bytes, size_t size)
{
	size_t before = message->size;

	put_key(message, field, WIRE_BYTES);
	put_varint(message, size);
	put_bytes(message, bytes, size);
	/* Half a field would spoil the rest. */
	if (message->is_full)
		message->size = before;
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value)
{
	size_t before = message->size;

	put_key(message, field, WIRE_VARINT);
	put_varint(message, value);
	if (message->is_full)
		message->size = before;
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	put_block(message, field, text, strlen(text));
}

void protobuf_message(struct protobuf *message, uint32_t field,
		      const struct protobuf *inner)
{
	put_block(message, field, inner->bytes, inner->size);
}
