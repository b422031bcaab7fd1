/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_packet.h"

#include "common/error.h"
#include "decoder/recording/aux_stream.h"

#include <string.h>

static uint64_t little_endian(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

/* Sets a TNT from its raw bits. The highest set bit only marks the end; the
 * branches' bits are those below it.
 */
static void set_tnt(struct intel_packet *packet, uint8_t size, uint64_t raw)
{
	unsigned int stop = 63 - (unsigned int)__builtin_clzll(raw);

	packet->kind = INTEL_PACKET_TNT;
	packet->size = size;
	packet->bits = (uint8_t)stop;
	packet->payload = raw ^ (uint64_t)1 << stop;
}

/* Packets with two bytes of opcode: the second, the size, the kind, and whether
 * a FUP that belongs to it follows, as far as the opcode determines these.
 */
static const struct {
	uint8_t opcode;
	uint8_t size;
	uint8_t kind;
	bool is_followed;
} extended[] = {
	{ 0x82, INTEL_PSB_SIZE, INTEL_PACKET_PSB, 0 },
	{ 0x23, 2, INTEL_PACKET_PSBEND, 0 },
	{ 0x03, 4, INTEL_PACKET_CBR, 0 },
	{ 0x73, 7, INTEL_PACKET_TMA, 0 },
	{ 0xf3, 2, INTEL_PACKET_OVF, 0 },
	{ 0xa3, 8, INTEL_PACKET_TNT, 0 },
	{ 0x43, 8, INTEL_PACKET_PIP, 0 },
	{ 0x83, 2, INTEL_PACKET_STOP, 0 },
	{ 0xc3, 11, INTEL_PACKET_MNT, 0 },
	{ 0xc8, 7, INTEL_PACKET_VMCS, 0 },
	{ 0x62, 2, INTEL_PACKET_EXSTOP, 0 },
	{ 0xe2, 2, INTEL_PACKET_EXSTOP, 1 },
	{ 0xc2, 10, INTEL_PACKET_MWAIT, 0 },
	{ 0x22, 4, INTEL_PACKET_PWRE, 0 },
	{ 0xa2, 7, INTEL_PACKET_PWRX, 0 },
	{ 0x12, 6, INTEL_PACKET_PTW, 0 }, /* of 4 bytes */
	{ 0x92, 6, INTEL_PACKET_PTW, 1 },
	{ 0x32, 10, INTEL_PACKET_PTW, 0 }, /* of 8 bytes */
	{ 0xb2, 10, INTEL_PACKET_PTW, 1 },
	{ 0x13, 4, INTEL_PACKET_CFE, 0 },
	{ 0x53, 11, INTEL_PACKET_EVD, 0 },
	{ 0x63, 3, INTEL_PACKET_BBP, 0 },
	{ 0x33, 2, INTEL_PACKET_BEP, 0 },
	{ 0xb3, 2, INTEL_PACKET_BEP, 1 },
};

static int fill_tnt(const uint8_t *bytes, struct intel_packet *packet)
{
	uint64_t raw = little_endian(bytes + 2, 6);

	if (!raw)
		return -ERROR_FORMAT;
	set_tnt(packet, packet->size, raw);
	return 1;
}

static void fill_cfe(const uint8_t *bytes, struct intel_packet *packet)
{
	packet->payload = (bytes[2] & 0x1fu) | (unsigned)bytes[3] << 8;
	packet->is_followed = bytes[2] & 0x80;
}

static void fill_tma(const uint8_t *bytes, struct intel_packet *packet)
{
	packet->payload = little_endian(bytes + 2, 2) |
			  (little_endian(bytes + 5, 2) & 0x1ff) << 16;
	packet->detail = bytes[4] | (bytes[6] & 0xfe);
}

/* Returns 1 or -ERROR_FORMAT. */
static int fill_extended(const uint8_t *bytes, struct intel_packet *packet)
{
	switch ((int)packet->kind) {
	case INTEL_PACKET_PSB:
		return memcmp(bytes, intel_psb, INTEL_PSB_SIZE) ?
			       -ERROR_FORMAT :
			       1;
	case INTEL_PACKET_MNT:
		if (bytes[2] != 0x88)
			return -ERROR_FORMAT;
		packet->payload = little_endian(bytes + 3, 8);
		return 1;
	case INTEL_PACKET_TNT:
		return fill_tnt(bytes, packet);
	case INTEL_PACKET_CBR:
		packet->payload = bytes[2];
		return 1;
	case INTEL_PACKET_TMA:
		fill_tma(bytes, packet);
		return 1;
	case INTEL_PACKET_CFE:
		fill_cfe(bytes, packet);
		return 1;
	case INTEL_PACKET_EVD:
		packet->detail = bytes[2] & 0x3f;
		packet->payload = little_endian(bytes + 3, 8);
		return 1;
	case INTEL_PACKET_BBP:
		packet->detail = bytes[2] & 0x1f;
		packet->payload = bytes[2] & 0x80 ? 4 : 8;
		return 1;
	default:
		packet->payload = little_endian(bytes + 2, packet->size - 2u);
		return 1;
	}
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
		packet->is_followed = extended[i].is_followed;
		if (packet->size > size)
			return 0;
		return fill_extended(bytes, packet);
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

/* Parses a packet with an address. Addresses are compressed against the
 * previous one; only their size matters here.
 */
static int read_address(uint8_t kind, const uint8_t *bytes, size_t size,
			struct intel_packet *packet)
{
	uint8_t payload_size = intel_address_size(bytes[0] >> 5);

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

/* Parses a TRIG. Bit 7 of its second byte is set if a FUP follows, bit 6 if a
 * count does.
 */
static int read_trig(const uint8_t *bytes, size_t size,
		     struct intel_packet *packet)
{
	if (size < 2)
		return 0;
	packet->kind = INTEL_PACKET_TRIG;
	packet->detail = bytes[1];
	packet->is_followed = bytes[1] & 0x80;
	packet->size = bytes[1] & 0x40 ? 5 : 3;
	if (packet->size > size)
		return 0;
	packet->payload = little_endian(bytes + 2, packet->size - 2u);
	return 1;
}

static int read_odd(const uint8_t *bytes, size_t size,
		    struct intel_packet *packet)
{
	switch (bytes[0]) {
	case 0x19:
		return read_plain(INTEL_PACKET_TSC, 8, bytes, size, packet);
	case 0x59:
		return read_plain(INTEL_PACKET_MTC, 2, bytes, size, packet);
	case 0x99:
		return read_plain(INTEL_PACKET_MODE, 2, bytes, size, packet);
	case 0xd9:
		return read_trig(bytes, size, packet);
	default:
		break;
	}
	switch (bytes[0] & 0x1f) {
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

int intel_packet_read(const uint8_t *bytes, size_t size,
		      struct intel_packet *packet)
{
	if (!size)
		return 0;
	*packet = (struct intel_packet){ 0 };
	if (bytes[0] == 0x02)
		return read_extended(bytes, size, packet);
	if ((bytes[0] & 3) == 3)
		return read_cyc(bytes, size, packet);
	if (bytes[0] & 1)
		return read_odd(bytes, size, packet);
	if (!bytes[0])
		return read_plain(INTEL_PACKET_PAD, 1, bytes, size, packet);
	set_tnt(packet, 1, bytes[0] >> 1);
	return 1;
}

/* Parses an item of a block. Its three lowest bits are 100, which outside a
 * block would be a TNT's.
 */
static int read_item(uint8_t item_size, const uint8_t *bytes, size_t size,
		     struct intel_packet *packet)
{
	*packet = (struct intel_packet){
		.kind = INTEL_PACKET_BIP,
		.size = (uint8_t)(1 + item_size),
		.detail = bytes[0] >> 3,
	};
	if (packet->size > size)
		return 0;
	packet->payload = little_endian(bytes + 1, item_size);
	return 1;
}

/* Returns the size of a block's items after @packet; 0 if @packet ends the
 * block, or none is open.
 */
static uint8_t next_item_size(uint8_t item_size,
			      const struct intel_packet *packet)
{
	switch (packet->kind) {
	case INTEL_PACKET_BBP:
		return (uint8_t)packet->payload;
	case INTEL_PACKET_BIP:
	case INTEL_PACKET_PAD:
	case INTEL_PACKET_TSC:
	case INTEL_PACKET_TMA:
	case INTEL_PACKET_MTC:
	case INTEL_PACKET_CYC:
	case INTEL_PACKET_CBR:
	case INTEL_PACKET_MNT:
		return item_size;
	default:
		return 0;
	}
}

int intel_packet_read_in(struct intel_packet_context *context,
			 const uint8_t *bytes, size_t size,
			 struct intel_packet *packet)
{
	uint8_t item_size = context->item_size;
	bool is_item = item_size && size && (bytes[0] & 7) == 4;
	int status = is_item ? read_item(item_size, bytes, size, packet) :
			       intel_packet_read(bytes, size, packet);

	context->item_size = status > 0 ? next_item_size(item_size, packet) : 0;
	return status;
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

/* Returns the position of a PSB near the end, @size if there is none. */
static size_t find_late_psb(const uint8_t *bytes, size_t size)
{
	size_t distance = 1 << 12;
	size_t from = size;
	size_t psb = size;

	while (psb == size && from) {
		from = distance < size ? size - distance : 0;
		psb = intel_psb_find(bytes, size, from);
		distance *= 2;
	}
	return psb;
}

size_t intel_whole_size(const uint8_t *bytes, size_t size)
{
	struct intel_packet_context context = { 0 };
	struct intel_packet packet;
	size_t at = find_late_psb(bytes, size);
	int status;

	if (at == size)
		return size;
	while ((status = intel_packet_read_in(&context, bytes + at, size - at,
					      &packet)) > 0)
		at += packet.size;
	return status < 0 ? size : at;
}

bool intel_is_idle(const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at < size;) {
		struct intel_packet packet;

		if (intel_packet_read(bytes + at, size - at, &packet) <= 0 ||
		    intel_packet_is_flow(&packet))
			return false;
		at += packet.size;
	}
	return true;
}
