/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROTOBUF_H
#define KT_REPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One protocol buffers message being written, of limited size.  Source: the
 * encoding page of the Protocol Buffers documentation.
 */
struct protobuf {
	size_t size;
	bool is_full;		/* something did not fit and was left out */
	uint8_t bytes[4096];
};

/* The most that protobuf_varint() writes. */
enum { PROTOBUF_VARINT_MOST = 10 };

/* Begins a message, without touching the bytes that will be written over. */
static inline void protobuf_start(struct protobuf *message)
{
	message->size = 0;
	message->is_full = false;
}

/* Writes @value to @bytes and returns how many these are. */
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

/* What precedes @size bytes of a field that is a text or a message, which
 * takes 2 * PROTOBUF_VARINT_MOST bytes at most.  Returns how many.
 */
size_t protobuf_head(uint8_t *bytes, uint32_t field, size_t size);

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_bytes(struct protobuf *message, uint32_t field,
		    const void *bytes, size_t size);
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
void protobuf_message(struct protobuf *message, uint32_t field,
		      const struct protobuf *inner);

#endif
