/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/record_change.h"

#include <string.h>

/* Packets of Intel PT and of ETMv4, with plausible payloads. */
#define BYTES(...) \
	{ \
		sizeof((const uint8_t[]){ __VA_ARGS__ }), \
		{ \
			__VA_ARGS__ \
		} \
	}

static const struct {
	uint8_t size;
	uint8_t bytes[16];
} packets[] = {
	BYTES(2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2,
	      0x82),			     /* PSB */
	BYTES(2, 0x23),			     /* PSBEND */
	BYTES(2, 0xf3),			     /* OVF */
	BYTES(2, 0x83),			     /* TraceStop */
	BYTES(0x19, 0xe8, 3, 0, 0, 0, 0, 0), /* TSC */
	BYTES(0x59, 7),			     /* MTC */
	BYTES(2, 0x73, 1, 0, 0, 1, 0),	     /* TMA */
	BYTES(2, 3, 10, 0),		     /* CBR */
	BYTES(0x3b),			     /* CYC */
	BYTES(0x99, 1),			     /* MODE.Exec */
	BYTES(0x99, 0x21),		     /* MODE.TSX */
	BYTES(0x1d),
	BYTES(0x2d, 0, 0x10), /* FUP */
	BYTES(0x0d),
	BYTES(0x2d, 8, 0x10), /* TIP */
	BYTES(0x01),
	BYTES(0x21, 0, 0x10), /* TIP.PGD */
	BYTES(0x11),
	BYTES(0x31, 0, 0x10), /* TIP.PGE */
	BYTES(0x0e),
	BYTES(0xfe),
	BYTES(4),					 /* TNT */
	BYTES(2, 0xa3, 0xff, 0xff, 0xff, 0xff, 0xff, 1), /* long TNT */
	BYTES(2, 0x43, 0, 0, 1, 0, 0, 0),		 /* PIP */
	BYTES(2, 0xc8, 0, 0, 1, 0, 0),			 /* VMCS */
	BYTES(2, 0x12, 1, 2, 3, 4),			 /* PTW */
	BYTES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80),	 /* A-Sync */
	BYTES(1, 1, 0),
	BYTES(4),
	BYTES(0x80), /* info, on, context */
	BYTES(0x81, 0x11),
	BYTES(0x9d, 0, 0, 0, 0, 0, 0, 0, 0),
	BYTES(0x9a, 0, 0, 0, 0),
	BYTES(0x95, 1),
	BYTES(0x90),
	BYTES(6, 1),
	BYTES(7), /* exception, return */
	BYTES(2, 0x0a),
	BYTES(3, 1),
	BYTES(5), /* time, cycles, overflow */
	BYTES(0xf6),
	BYTES(0xf7),
	BYTES(0xdb),
	BYTES(0xc4), /* atoms */
	BYTES(0x2d),
	BYTES(0x30),
	BYTES(0x0c, 0x11),
};

enum { PACKETS = sizeof(packets) / sizeof(*packets), TRACE_MOST = 1 << 16 };

static size_t insert(uint8_t *trace, size_t size, size_t at,
		     const uint8_t *bytes, size_t count)
{
	uint8_t copy[256];

	if (count > sizeof(copy))
		count = sizeof(copy);
	memcpy(copy, bytes, count);
	memmove(trace + at + count, trace + at, size - at);
	memcpy(trace + at, copy, count);
	return size + count;
}

static size_t insert_packet(struct mutation *mutation, uint8_t *trace,
			    size_t size)
{
	size_t index = mutation_below(mutation, PACKETS);

	return insert(trace, size, mutation_below(mutation, size + 1),
		      packets[index].bytes, packets[index].size);
}

static size_t repeat_part(struct mutation *mutation, uint8_t *trace,
			  size_t size)
{
	size_t from = size ? mutation_below(mutation, size) : 0;
	size_t count = size ? mutation_below(mutation, size - from) : 0;

	return insert(trace, size, mutation_below(mutation, size + 1),
		      trace + from, count);
}

static size_t remove_part(struct mutation *mutation, uint8_t *trace,
			  size_t size)
{
	size_t from = size ? mutation_below(mutation, size) : 0;
	size_t most = size - from < 16 ? size - from : 16;
	size_t count = most ? mutation_below(mutation, most + 1) : 0;

	memmove(trace + from, trace + from + count, size - from - count);
	return size - count;
}

/* The AUX records contain the trace's size: mostly it stays correct. */
static size_t change_byte(struct mutation *mutation, uint8_t *trace,
			  size_t size)
{
	if (size)
		trace[mutation_below(mutation, size)] =
			(uint8_t)mutation_below(mutation, 256);
	return size;
}

static size_t replace_packet(struct mutation *mutation, uint8_t *trace,
			     size_t size)
{
	size_t index = mutation_below(mutation, PACKETS);
	size_t count = packets[index].size;

	if (size > count)
		memcpy(trace + mutation_below(mutation, size - count),
		       packets[index].bytes, count);
	return size;
}

void trace_change(struct mutation *mutation, struct listed_record *record)
{
	typedef size_t change(struct mutation *, uint8_t *, size_t);
	static change *const changes[] = {
		insert_packet, insert_packet, replace_packet, replace_packet,
		repeat_part,   remove_part,   change_byte,    change_byte,
	};
	size_t size = record->size - RECORD_AUXTRACE_HEAD;
	uint8_t *made;

	if (size > TRACE_MOST)
		return;
	made = mutation_room(mutation, record->size + 512);
	if (!made)
		return;
	memcpy(made, record->bytes, record->size);
	size = changes[mutation_below(mutation,
				      sizeof(changes) / sizeof(*changes))](
		mutation, made + RECORD_AUXTRACE_HEAD, size);
	memset(made + RECORD_AUXTRACE_HEAD + size, 0, 8);
	size = (size + 7) / 8 * 8;

	const uint64_t stated = size;

	memcpy(made + RECORD_HEAD, &stated, sizeof(stated));
	record->bytes = made;
	record->size = RECORD_AUXTRACE_HEAD + size;
}
