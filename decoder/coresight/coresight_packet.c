/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_packet.h"
#include "decoder/recording/coresight_unit.h"

enum {
	EXTENSION = 0x00,
	TRACE_INFO = 0x01,
	EXCEPTION = 0x06,
	COUNT_F1 = 0x0e,
	COUNT_F1_UNKNOWN = 0x0f,
	SECTIONS = 0x1f,
	DEPTH_SECTION = 0x04,
};

#define KIND(name) CORESIGHT_PACKET_##name

/* By header: kind and length of the rest; zero for unlisted headers. */
static const struct layout {
	uint8_t kind;
	uint8_t fixed;
	uint8_t fields;
	uint8_t field_max;
	bool has_context;
} layouts[UINT8_MAX + 1] = {
	[EXTENSION] = { KIND(EXTENSION), 1, 0, 0, false },
	[TRACE_INFO] = { KIND(TRACE_INFO), 1, 0, 0, false },
	[0x02] = { KIND(REPORT), 0, 1, 9, false }, /* time stamp */
	[0x03] = { KIND(REPORT), 0, 2, 9, false }, /* and cycle count */
	[0x04] = { KIND(STATE), 0, 0, 0, false },  /* trace on */
	[EXCEPTION] = { KIND(EXCEPTION), 1, 0, 0, false },
	[0x07] = { KIND(STATE), 0, 0, 0, false },	/* exception return */
	[0x09] = { KIND(REPORT), 9, 0, 0, false },	/* instrumentation */
	[0x0a] = { KIND(TRANSACTION), 0, 0, 0, false }, /* begins */
	[0x0b] = { KIND(STATE), 0, 0, 0, false },	/* is committed */
	[0x0c ... 0x0d] = { KIND(CYCLES), 1, 0, 0, false }, /* format 2 */
	[COUNT_F1] = { KIND(CYCLES), 0, 1, 0, false },
	[COUNT_F1_UNKNOWN] = { KIND(CYCLES), 0, 0, 0, false },
	[0x10 ... 0x1f] = { KIND(CYCLES), 0, 0, 0, false }, /* format 3 */
	[0x2d] = { KIND(COMMIT), 0, 1, 0, false },
	[0x2e ... 0x2f] = { KIND(CANCEL), 0, 1, 0, false },
	[0x30 ... 0x3f] = { KIND(MISPREDICT), 0, 0, 0, false },
	[0x70] = { KIND(IGNORE), 0, 0, 0, false },
	[0x71 ... 0x7f] = { KIND(REPORT), 0, 0, 0, false }, /* events */
	[0x80] = { KIND(CONTEXT), 0, 0, 0, false },	    /* context */
	[0x81] = { KIND(CONTEXT), 0, 0, 0, true },
	[0x82 ... 0x83] = { KIND(ADDRESS), 4, 0, 0, true },
	[0x85 ... 0x86] = { KIND(ADDRESS), 8, 0, 0, true },
	[0x88] = { KIND(REPORT), 0, 0, 0, false }, /* time stamp marker */
	[0x90 ... 0x92] = { KIND(ADDRESS), 0, 0, 0, false }, /* a recent one */
	[0x95 ... 0x96] = { KIND(ADDRESS), 0, 1, 2, false }, /* short */
	[0x9a ... 0x9b] = { KIND(ADDRESS), 4, 0, 0, false },
	[0x9d ... 0x9e] = { KIND(ADDRESS), 8, 0, 0, false },
	[0xa0 ... 0xa2] = { KIND(Q), 0, 1, 0, false },
	[0xa5 ... 0xa6] = { KIND(Q), 0, 2, 2, false },
	[0xaa ... 0xab] = { KIND(Q), 4, 1, 0, false },
	[0xac] = { KIND(Q), 0, 1, 0, false },
	[0xaf] = { KIND(Q), 0, 0, 0, false },
	[0xb0 ... 0xb2] = { KIND(SOURCE), 0, 0, 0, false },
	[0xb4 ... 0xb5] = { KIND(SOURCE), 0, 1, 2, false },
	[0xb6 ... 0xb7] = { KIND(SOURCE), 4, 0, 0, false },
	[0xb8 ... 0xb9] = { KIND(SOURCE), 8, 0, 0, false },
	[CORESIGHT_PACKET_FIRST_ATOMS... 0xff] = { KIND(ATOMS), 0, 0, 0,
						   false },
};

/* Sizes are 0, 1, 2 or 4. */
static uint8_t context_size(uint32_t field)
{
	field &= 0x1f;
	return field <= 4 && field != 3 ? (uint8_t)field : 0;
}

/* Without cycle counting TRCIDR0.COMMOPT has no meaning. */
void coresight_packet_begin(struct coresight_packet *packet,
			    const struct coresight_unit *unit)
{
	const uint32_t commits_apart = 1u << 29 | 1u << 7;

	*packet = (struct coresight_packet){
		.counts_commits = (unit->idr0 & commits_apart) != commits_apart,
		.is_ete = unit->protocol == CORESIGHT_ETE,
		.context_sizes = {
			context_size(unit->idr2 >> 10),
			context_size(unit->idr2 >> 5),
		},
	};
}

static void begin_packet(struct coresight_packet *packet, uint8_t header)
{
	const struct layout *layout = &layouts[header];

	packet->fields = layout->fields;
	if (header == COUNT_F1 || header == COUNT_F1_UNKNOWN)
		packet->fields += packet->counts_commits;
	packet->header = header;
	packet->kind = layout->kind;
	packet->at = 1;
	packet->fixed = layout->fixed;
	packet->field_size = 0;
	packet->field_max = layout->field_max;
	packet->has_context = layout->has_context;
	packet->depth = 0;
	packet->depth_at = 0;
}

/* ETE's resets and failed transactions have no address, but a third byte. */
static bool has_third_byte(const struct coresight_packet *packet, uint8_t byte)
{
	uint8_t type = byte >> 1 & 0x1f;

	return byte & 0x80 || (packet->is_ete && (!type || type == 0x18));
}

static void take_control(struct coresight_packet *packet, uint8_t byte)
{
	packet->fixed = byte >> 7;
	if (packet->at != 2)
		return;
	packet->sections = byte & SECTIONS;
	packet->fields = (uint8_t)__builtin_popcount(packet->sections);
}

/* Handles bytes that determine the number of bytes that follow. */
static void take_special(struct coresight_packet *packet, uint8_t byte)
{
	if (packet->header == EXTENSION && !byte)
		packet->fixed = 1;
	else if (packet->header == EXCEPTION && packet->at == 2)
		packet->fixed = has_third_byte(packet, byte);
	else if (packet->header == TRACE_INFO)
		take_control(packet, byte);
}

static void take_section(struct coresight_packet *packet, uint8_t byte)
{
	uint8_t section = packet->sections & -packet->sections;

	if (section == DEPTH_SECTION) {
		if (!packet->field_size)
			packet->depth_at = packet->at - 1;
		if (packet->field_size < 5)
			packet->depth |= (byte & UINT32_C(0x7f))
					 << 7 * packet->field_size;
	}
	if (!(byte & 0x80))
		packet->sections ^= section;
}

static void take_field(struct coresight_packet *packet, uint8_t byte)
{
	if (packet->header == TRACE_INFO)
		take_section(packet, byte);
	if (packet->field_size < UINT8_MAX)
		packet->field_size++;
	if (byte & 0x80 && packet->field_size != packet->field_max)
		return;
	packet->fields--;
	packet->field_size = 0;
	packet->field_max = 0;
}

static void take_context(struct coresight_packet *packet, uint8_t byte)
{
	packet->has_context = false;
	packet->fixed = (byte >> 6 & 1 ? packet->context_sizes[0] : 0) +
			(byte >> 7 & 1 ? packet->context_sizes[1] : 0);
}

static void take_byte(struct coresight_packet *packet, uint8_t byte)
{
	if (packet->at < UINT8_MAX)
		packet->at++;
	if (packet->fixed) {
		packet->fixed--;
		take_special(packet, byte);
	} else if (packet->fields) {
		take_field(packet, byte);
	} else {
		take_context(packet, byte);
	}
}

static bool is_whole(const struct coresight_packet *packet)
{
	return !packet->fixed && !packet->fields && !packet->has_context;
}

/* Skips bytes of an address, many at once: their contents are not needed here.
 */
static size_t skip_address(struct coresight_packet *packet, size_t size)
{
	size_t skipped = packet->fixed < size ? packet->fixed : size;

	if (packet->kind != CORESIGHT_PACKET_ADDRESS)
		return 0;
	packet->fixed -= (uint8_t)skipped;
	packet->at += (uint8_t)skipped;
	return skipped;
}

size_t coresight_packet_take(struct coresight_packet *packet,
			     const uint8_t *bytes, size_t size)
{
	size_t taken = 0;

	if (!packet->is_open)
		begin_packet(packet, bytes[taken++]);
	taken += skip_address(packet, size - taken);
	while (!is_whole(packet) && taken < size)
		take_byte(packet, bytes[taken++]);
	packet->is_open = !is_whole(packet);
	return taken;
}
