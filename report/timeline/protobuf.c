/* SPDX-License-Identifier: MIT */
#include "report/timeline/protobuf.h"

#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static size_t put_key(uint8_t *bytes, uint32_t field, enum wire_type type)
{
	return protobuf_varint(bytes, (uint64_t)field << 3 | type);
}

size_t protobuf_head(uint8_t *bytes, uint32_t field, size_t size)
{
	size_t head = put_key(bytes, field, WIRE_BYTES);

	return head + protobuf_varint(bytes + head, size);
}

/* Half a field would spoil the rest.  Returns whether a whole one of @size
 * bytes has room.
 */
static bool has_room(struct protobuf *message, size_t size)
{
	enum { MOST = 2 * PROTOBUF_VARINT_MOST };

	if (size <= sizeof(message->bytes) - MOST &&
	    message->size <= sizeof(message->bytes) - MOST - size)
		return true;
	message->is_full = true;
	return false;
}

void protobuf_bytes(struct protobuf *message, uint32_t field,
		    const void *bytes, size_t size)
{
	if (!has_room(message, size))
		return;
	message->size += protobuf_head(message->bytes + message->size, field,
				       size);
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value)
{
	uint8_t *end = message->bytes + message->size;

	if (!has_room(message, 0))
		return;
	end += put_key(end, field, WIRE_VARINT);
	end += protobuf_varint(end, value);
	message->size = (size_t)(end - message->bytes);
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	protobuf_bytes(message, field, text, strlen(text));
}

void protobuf_message(struct protobuf *message, uint32_t field,
		      const struct protobuf *inner)
{
	protobuf_bytes(message, field, inner->bytes, inner->size);
}
