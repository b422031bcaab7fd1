/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/packet.h"

#include <string.h>

/* Seven bits per byte, lowest first; the top bit is set if more bytes follow.
 */
static size_t put_continued(uint8_t *bytes, uint32_t value)
{
	size_t size = 0;

	do {
		bytes[size] = value & 0x7f;
		value >>= 7;
		if (value)
			bytes[size] |= 0x80;
		size++;
	} while (value);
	return size;
}

size_t ete_packet_async(uint8_t *bytes)
{
	memset(bytes, 0, 11);
	bytes[11] = 0x80;
	return 12;
}

size_t ete_packet_trace_info(uint8_t *bytes, const uint32_t *cycle_threshold)
{
	enum { HAS_INFO = 1, HAS_CYCLE_THRESHOLD = 8, CYCLES_ON = 1 };

	bytes[0] = 0x01;
	bytes[1] = HAS_INFO | (cycle_threshold ? HAS_CYCLE_THRESHOLD : 0);
	bytes[2] = cycle_threshold ? CYCLES_ON : 0;
	if (!cycle_threshold)
		return 3;
	return 3 + put_continued(bytes + 3, *cycle_threshold);
}

size_t ete_packet_trace_on(uint8_t *bytes)
{
	bytes[0] = 0x04;
	return 1;
}

size_t ete_packet_overflow(uint8_t *bytes)
{
	bytes[0] = 0x00;
	bytes[1] = 0x05;
	return 2;
}

/* The ninth byte holds eight bits. Lengths of seven and eight bytes are not
 * used, because decoders disagree on the missing bits.
 */
static size_t put_timestamp(uint8_t *bytes, uint64_t value, uint64_t changed)
{
	enum { PARTS_MAX = 9, PARTS_SHORT = 6 };
	size_t parts = 1;

	while (parts < PARTS_MAX && changed >> (7 * parts))
		parts++;
	if (parts > PARTS_SHORT)
		parts = PARTS_MAX;
	for (size_t i = 0; i < parts; i++)
		bytes[i] = (uint8_t)((value >> (7 * i) & 0x7f) |
				     (i + 1 < parts ? 0x80 : 0));
	if (parts == PARTS_MAX)
		bytes[8] = (uint8_t)(value >> 56);
	return parts;
}

size_t ete_packet_timestamp(uint8_t *bytes, uint64_t value, uint64_t previous,
			    const uint32_t *cycles)
{
	size_t size = 1;

	bytes[0] = cycles ? 0x03 : 0x02;
	size += put_timestamp(bytes + size, value, value ^ previous);
	if (cycles)
		size += put_continued(bytes + size, *cycles);
	return size;
}

size_t ete_packet_cycles(uint8_t *bytes, uint32_t over)
{
	if (over <= 3) {
		bytes[0] = (uint8_t)(0x10 | over);
		return 1;
	}
	bytes[0] = 0x0e;
	return 1 + put_continued(bytes + 1, over);
}

size_t ete_packet_cycles_unknown(uint8_t *bytes)
{
	bytes[0] = 0x0f;
	return 1;
}

size_t ete_packet_exception(uint8_t *bytes, enum ete_exception type)
{
	enum { RETURN_ADDRESS_FOLLOWS = 1 };

	bytes[0] = 0x06;
	bytes[1] = (uint8_t)(RETURN_ADDRESS_FOLLOWS | type << 1);
	return 2;
}

static size_t put_context(uint8_t *bytes, const struct ete_context *context)
{
	enum { SF = 0x10, NS = 0x20, HAS_VMID = 0x40, HAS_CONTEXT_ID = 0x80 };
	size_t size = 1;

	bytes[0] = (uint8_t)(context->el | SF | NS |
			     (context->has_vmid ? HAS_VMID : 0) |
			     (context->has_context_id ? HAS_CONTEXT_ID : 0));
	if (context->has_vmid) {
		memcpy(bytes + size, &context->vmid, 4);
		size += 4;
	}
	if (context->has_context_id) {
		memcpy(bytes + size, &context->context_id, 4);
		size += 4;
	}
	return size;
}

size_t ete_packet_context(uint8_t *bytes, const struct ete_context *context)
{
	bytes[0] = 0x81;
	return 1 + put_context(bytes + 1, context);
}

size_t ete_packet_address_match(uint8_t *bytes, unsigned entry)
{
	bytes[0] = (uint8_t)(0x90 + entry);
	return 1;
}

size_t ete_packet_address_short(uint8_t *bytes, uint64_t address,
				bool two_bytes)
{
	bytes[0] = 0x95;
	bytes[1] = address >> 2 & 0x7f;
	if (!two_bytes)
		return 2;
	bytes[1] |= 0x80;
	bytes[2] = (uint8_t)(address >> 9);
	return 3;
}

static size_t put_address(uint8_t *bytes, uint64_t address, bool wide)
{
	size_t size = wide ? 8 : 4;

	bytes[0] = address >> 2 & 0x7f;
	bytes[1] = address >> 9 & 0x7f;
	for (size_t i = 2; i < size; i++)
		bytes[i] = (uint8_t)(address >> (8 * i));
	return size;
}

size_t ete_packet_address_long(uint8_t *bytes, uint64_t address, bool wide)
{
	bytes[0] = wide ? 0x9d : 0x9a;
	return 1 + put_address(bytes + 1, address, wide);
}

size_t ete_packet_address_context(uint8_t *bytes, uint64_t address, bool wide,
				  const struct ete_context *context)
{
	size_t size;

	bytes[0] = wide ? 0x85 : 0x82;
	size = 1 + put_address(bytes + 1, address, wide);
	return size + put_context(bytes + size, context);
}
