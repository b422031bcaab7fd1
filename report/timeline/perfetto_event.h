/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_EVENT_H
#define KT_REPORT_PERFETTO_EVENT_H

#include "report/timeline/perfetto_fields.h"
#include "report/timeline/perfetto_out.h"

#include <assert.h>

/* Fast path for the two most frequent packets: a TrackEvent that begins a slice
 * with an interned name, and one that ends it. They are written directly to the
 * compressor's input; perfetto_slices.c makes all others, using protobuf.h.
 */

/* The last fields of all packets of a track's sequence. */
struct perfetto_tail {
	uint8_t bytes[16];
	uint8_t size;
};

static inline struct perfetto_tail perfetto_tail_of(uint64_t sequence)
{
	struct protobuf fields;
	struct perfetto_tail tail;

	protobuf_start(&fields);
	protobuf_number(&fields, PACKET_SEQUENCE_ID, sequence);
	protobuf_number(&fields, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	static_assert(sizeof(tail.bytes) >= 2 * 2 + PROTOBUF_VARINT_MOST,
		      "two keys of up to two bytes, a number, and a flag");
	tail.size = (uint8_t)fields.size;
	memcpy(tail.bytes, fields.bytes, sizeof(tail.bytes));
	return tail;
}

/* Maximum number of bytes that perfetto_event_write() touches. */
enum { PERFETTO_EVENT_MOST = 64 };

/* Writes a packet to @at; @name is the number of an interned name, 0 for none.
 * It is far shorter than 128 bytes, so that sizes take one byte. Returns its
 * end.
 */
static inline uint8_t *perfetto_event_write(uint8_t *at, uint64_t passed_ns,
					    enum event_type type, uint64_t name,
					    const struct perfetto_tail *tail)
{
	uint8_t *packet_size = at + 1;
	uint8_t *event_size;

	at[0] = TRACE_PACKET << 3 | PROTOBUF_BYTES;
	at[2] = PACKET_TIMESTAMP << 3 | PROTOBUF_VARINT;
	at += 3;
	at += protobuf_varint(at, passed_ns);
	event_size = at + 1;
	at[0] = PACKET_TRACK_EVENT << 3 | PROTOBUF_BYTES;
	at[2] = EVENT_TYPE << 3 | PROTOBUF_VARINT;
	at[3] = (uint8_t)type;
	at += 4;
	if (name) {
		*at++ = EVENT_NAME_IID << 3 | PROTOBUF_VARINT;
		at += protobuf_varint(at, name);
	}
	*event_size = (uint8_t)(at - event_size - 1);
	memcpy(at, tail->bytes, sizeof(tail->bytes));
	at += tail->size;
	*packet_size = (uint8_t)(at - packet_size - 1);
	return at;
}

#endif
