/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_address.h"

#include <string.h>

enum {
	MATCH = 0, /* same as a recent one */
	SHORT = 2, /* largest number of bytes */
	LONG_32 = 4,
	LONG_64 = 8,
};

struct form {
	uint8_t size;
	uint8_t isa;
};

/* By the header's group and low bits. */
static struct form form_of(uint8_t header)
{
	static const struct form contexts[] = {
		[0x2] = { LONG_32, 0 },
		[0x3] = { LONG_32, 1 },
		[0x5] = { LONG_64, 0 },
		[0x6] = { LONG_64, 1 },
	};
	static const struct form targets[] = {
		[0x5] = { SHORT, 0 },	[0x6] = { SHORT, 1 },
		[0xa] = { LONG_32, 0 }, [0xb] = { LONG_32, 1 },
		[0xd] = { LONG_64, 0 }, [0xe] = { LONG_64, 1 },
	};
	static const struct form sources[] = {
		[0x4] = { SHORT, 0 },	[0x5] = { SHORT, 1 },
		[0x6] = { LONG_32, 0 }, [0x7] = { LONG_32, 1 },
		[0x8] = { LONG_64, 0 }, [0x9] = { LONG_64, 1 },
	};

	switch (header >> 4) {
	case 0x8:
		return contexts[header & 0x7];
	case 0x9:
		return targets[header & 0xf];
	default:
		return sources[header & 0xf];
	}
}

/* A64 and A32 omit two bits of an address, T32 one. */
static size_t read_short(const uint8_t *bytes, uint8_t isa, uint64_t *value)
{
	unsigned int shift = isa ? 1 : 2;
	unsigned int bits = 7 + shift;
	uint64_t low = (uint64_t)(bytes[0] & 0x7f) << shift;
	size_t size = 1;

	if (bytes[0] & 0x80) {
		low |= (uint64_t)bytes[1] << bits;
		bits += 8;
		size = 2;
	}
	*value = (*value & ~((UINT64_C(1) << bits) - 1)) | low;
	return size;
}

static uint64_t read_long(const uint8_t *bytes, size_t size, uint8_t isa)
{
	uint64_t value = isa ? (uint64_t)(bytes[0] & 0x7f) << 1 |
					 (uint64_t)bytes[1] << 8 :
			       (uint64_t)(bytes[0] & 0x7f) << 2 |
					 (uint64_t)(bytes[1] & 0x7f) << 9;

	for (size_t i = 2; i < size; i++)
		value |= (uint64_t)bytes[i] << i * 8;
	return value;
}

/* Writes a packet of the header's group: 0x80 has a context. */
static void write_long(const struct coresight_address *address, uint8_t header,
		       uint8_t *bytes)
{
	static const uint8_t headers[] = {
		[0x8] = 0x85, [0x9] = 0x9d, [0xb] = 0xb8
	};
	uint64_t value = address->value;

	bytes[0] = headers[header >> 4] + address->isa;
	bytes[1] = value >> (address->isa ? 1 : 2) & 0x7f;
	bytes[2] = address->isa ? value >> 8 & 0xff : value >> 9 & 0x7f;
	for (size_t i = 3; i < CORESIGHT_ADDRESS_SIZE; i++)
		bytes[i] = value >> (i - 1) * 8 & 0xff;
}

size_t coresight_address_expand(struct coresight_addresses *addresses,
				const uint8_t *packet, uint8_t *expanded)
{
	const struct form form = form_of(packet[0]);
	const uint64_t high = UINT64_C(0xffffffff) << 32;
	struct coresight_address address = addresses->last[0];
	size_t size = form.size;

	if (form.size == MATCH)
		address = addresses->last[packet[0] & 0x3];
	else if (form.size == SHORT)
		size = read_short(packet + 1, form.isa, &address.value);
	else
		address.value = read_long(packet + 1, size, form.isa) |
				(size == LONG_32 && addresses->is_64bit ?
					 address.value & high :
					 0);
	if (form.size != MATCH)
		address.isa = form.isa;
	memmove(addresses->last + 1, addresses->last,
		2 * sizeof(*addresses->last));
	addresses->last[0] = address;
	write_long(&address, packet[0], expanded);
	return 1 + size;
}
