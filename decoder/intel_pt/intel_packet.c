/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_packet.h"
#include "common/error.h"

#include <string.h>

enum { PSB_SIZE = 16, PSB_PERIOD = 2 };

static const uint8_t psb[PSB_SIZE] = {
	2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
};

static uint64_t little_endian(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

/* The highest set bit ends the TNT bits, which begin below it. */
static void set_tnt(struct intel_packet *packet, uint8_t size,
		    uint64_t raw)
{
	unsigned int stop = 63 - (unsigned int)__builtin_clzll(raw);

	packet->kind = INTEL_PACKET_TNT;
	packet->size = size;
	packet->bits = (uint8_t)stop;
	packet->payload = raw ^ (uint64_t)1 << stop;
}

/* Packets of two bytes of opcode: the second, the size, the kind. */
static const struct {
	uint8_t opcode;
	uint8_t size;
	uint8_t kind;
} extended[] = {
	{ 0x82, PSB_SIZE, INTEL_PACKET_PSB },
	{ 0x23, 2, INTEL_PACKET_PSBEND },
	{ 0x03, 4, INTEL_PACKET_CBR },
	{ 0x73, 7, INTEL_PACKET_TMA },
	{ 0xf3, 2, INTEL_PACKET_OVF },
	{ 0xa3, 8, INTEL_PACKET_TNT },
	{ 0x43, 8, INTEL_PACKET_PIP },
	{ 0x83, 2, INTEL_PACKET_OTHER },	/* TraceStop */
	{ 0xc3, 11, INTEL_PACKET_OTHER },	/* MNT */
	{ 0xc8, 7, INTEL_PACKET_OTHER },	/* VMCS */
	{ 0x62, 2, INTEL_PACKET_OTHER },	/* EXSTOP */
	{ 0xe2, 2, INTEL_PACKET_OTHER },	/* EXSTOP with IP */
	{ 0xc2, 10, INTEL_PACKET_OTHER },	/* MWAIT */
	{ 0x22, 4, INTEL_PACKET_OTHER },	/* PWRE */
	{ 0xa2, 7, INTEL_PACKET_OTHER },	/* PWRX */
	{ 0x12, 6, INTEL_PACKET_PTW },	/* of 4 bytes */
	{ 0x92, 6, INTEL_PACKET_PTW },
	{ 0x32, 10, INTEL_PACKET_PTW },	/* of 8 bytes */
	{ 0xb2, 10, INTEL_PACKET_PTW },
	{ 0x13, 4, INTEL_PACKET_CFE },
	{ 0x53, 11, INTEL_PACKET_OTHER },	/* EVD */
};

/* The bit that says so lies in the second byte, of CFE in the third. */
static bool has_address_behind(const uint8_t *bytes)
{
	switch (bytes[1]) {
	case 0x13:
		return bytes[2] & 0x80;
	case 0xb3:	/* BEP */
	case 0xe2:	/* EXSTOP */
	case 0x92:	/* PTW */
	case 0xb2:
		return true;
	default:
		return false;
	}
}

static void fill_extended(const uint8_t *bytes, struct intel_packet *packet)
{
	if (packet->kind == INTEL_PACKET_CBR)
		packet->payload = bytes[2];
	if (packet->kind == INTEL_PACKET_TMA)
		packet->payload = little_endian(bytes + 2, 2) |
				  (little_endian(bytes + 5, 2) & 0x1ff) << 16;
	if (packet->kind == INTEL_PACKET_PIP)
		packet->payload = little_endian(bytes + 2, 6);
	if (packet->kind == INTEL_PACKET_PTW)
		packet->payload = little_endian(bytes + 2, packet->size - 2u);
	if (packet->kind == INTEL_PACKET_CFE)
		packet->payload = (bytes[2] & 0x1fu) | (unsigned)bytes[3] << 8;
	packet->is_followed = has_address_behind(bytes);
}

static int read_extended(const uint8_t *bytes, size_t size,
			 struct intel_packet *packet)
{
	if (size < 2)
		return 0;
	for (size_t i = 0; i < sizeof(extended) / sizeof(*extended); i++) {
		if (extended[i].opcode != bytes[1])
			continue;
		packet->kind = extended[i].kind;
		packet->size = extended[i].size;
		if (packet->size > size)
			return 0;
		if (packet->kind == INTEL_PACKET_PSB &&
		    memcmp(bytes, psb, PSB_SIZE))
			return -ERROR_FORMAT;
		if (packet->kind == INTEL_PACKET_TNT) {
			uint64_t raw = little_endian(bytes + 2, 6);

			if (!raw)
				return -ERROR_FORMAT;
			set_tnt(packet, packet->size, raw);
		}
		fill_extended(bytes, packet);
		return 1;
	}
	return -ERROR_FORMAT;
}

static int read_cyc(const uint8_t *bytes, size_t size,
		    struct intel_packet *packet)
{
	uint64_t cycles = bytes[0] >> 3;
	unsigned int shift = 5;
	size_t at = 1;

	for (int more = bytes[0] & 4; more; more = bytes[at++] & 1) {
		if (at == size)
			return 0;
		if (shift > 63)
			return -ERROR_FORMAT;
		cycles |= (uint64_t)(bytes[at] >> 1) << shift;
		shift += 7;
	}
	packet->kind = INTEL_PACKET_CYC;
	packet->size = (uint8_t)at;
	packet->payload = cycles;
	return 1;
}

/* Addresses are compressed against the one before; here only their size
 * matters.
 */
static int read_address(uint8_t kind, const uint8_t *bytes, size_t size,
			struct intel_packet *packet)
{
	static const uint8_t sizes[8] = { 0, 2, 4, 6, 6, 0, 8, 0 };
	uint8_t payload_size = sizes[bytes[0] >> 5];

	packet->kind = kind;
	packet->compression = bytes[0] >> 5;
	packet->size = (uint8_t)(1 + payload_size);
	if (packet->size > size)
		return 0;
	packet->payload = little_endian(bytes + 1, payload_size);
	return 1;
}

static int read_plain(uint8_t kind, uint8_t packet_size, const uint8_t *bytes,
		      size_t size, struct intel_packet *packet)
{
	packet->kind = kind;
	packet->size = packet_size;
	if (packet_size > size)
		return 0;
	packet->payload = little_endian(bytes + 1, packet_size - 1u);
	return 1;
}

int intel_packet_read(const uint8_t *bytes, size_t size,
		      struct intel_packet *packet)
{
	if (!size)
		return 0;
	packet->is_followed = false;

	uint8_t first = bytes[0];

	if (first == 0x02)
		return read_extended(bytes, size, packet);
	if ((first & 3) == 3)
		return read_cyc(bytes, size, packet);
	if (!(first & 1)) {
		if (!first)
			return read_plain(INTEL_PACKET_PAD, 1, bytes, size,
					  packet);
		set_tnt(packet, 1, first >> 1);
		return 1;
	}
	switch (first) {
	case 0x19:
		return read_plain(INTEL_PACKET_TSC, 8, bytes, size, packet);
	case 0x59:
		return read_plain(INTEL_PACKET_MTC, 2, bytes, size, packet);
	case 0x99:
		return read_plain(INTEL_PACKET_MODE, 2, bytes, size, packet);
	default:
		break;
	}
	switch (first & 0x1f) {
	case 0x0d:
		return read_address(INTEL_PACKET_TIP, bytes, size, packet);
	case 0x11:
		return read_address(INTEL_PACKET_TIP_PGE, bytes, size, packet);
	case 0x01:
		return read_address(INTEL_PACKET_TIP_PGD, bytes, size, packet);
	case 0x1d:
		return read_address(INTEL_PACKET_FUP, bytes, size, packet);
	default:
		return -ERROR_FORMAT;
	}
}

bool intel_packet_is_flow(const struct intel_packet *packet)
{
	switch (packet->kind) {
	case INTEL_PACKET_TNT:
		return packet->bits;
	case INTEL_PACKET_TIP:
	case INTEL_PACKET_TIP_PGE:
	case INTEL_PACKET_TIP_PGD:
	case INTEL_PACKET_OVF:
		return true;
	default:
		return false;
	}
}

size_t intel_packet_find_psb(const uint8_t *bytes, size_t size, size_t from)
{
	if (from >= size)
		return size;

	const uint8_t *found =
		memmem(bytes + from, size - from, psb, PSB_SIZE);

	if (!found)
		return size;

	size_t at = (size_t)(found - bytes);

	/* The packet before may end as a PSB begins. */
	while (size - at >= PSB_PERIOD + PSB_SIZE &&
	       !memcmp(bytes + at + PSB_PERIOD, psb, PSB_SIZE))
		at += PSB_PERIOD;
	return at;
}

/* A PSB, and what may look like the begin of one before it. */
enum { PSB_REACH = 2 * PSB_SIZE, REACH_STEP = 1 << 16 };

size_t intel_packet_reach_psb(const uint8_t *bytes, size_t size, size_t from,
			      intel_packet_reach *reach, void *ctx)
{
	if (!reach)
		return intel_packet_find_psb(bytes, size, from);
	while (from < size) {
		size_t end = size - from < REACH_STEP ? size :
							from + REACH_STEP;
		size_t found;

		reach(ctx, from, end);
		found = intel_packet_find_psb(bytes, end, from);
		if (end == size)
			return found;
		if (found + PSB_REACH < end)
			return found;
		from = found < end ? found : end - PSB_REACH;
	}
	return size;
}
