/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/packet_internal.h"

#include "decoder/recording/coresight_streams.h"

#include <string.h>

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

/* Finds the kind of each ETMv4 or ETE packet and its end, without its meaning
 * for execution (branches.c has that). The kind, and the length of the bytes
 * after the header, follow from the header by layouts[], or from later bytes
 * (consume_special()). Sources: Arm IHI 0064, and Arm ARM DDI 0487 for ETE.
 */

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
	/* time stamp and cycle count */
	[0x03] = { KIND(REPORT), 0, 2, 9, false },
	[0x04] = { KIND(STATE), 0, 0, 0, false }, /* trace on */
	[EXCEPTION] = { KIND(EXCEPTION), 1, 0, 0, false },
	[0x07] = { KIND(STATE), 0, 0, 0, false },	/* exception return */
	[0x09] = { KIND(REPORT), 9, 0, 0, false },	/* instrumentation */
	[0x0a] = { KIND(TRANSACTION), 0, 0, 0, false }, /* transaction begins */
	[0x0b] = { KIND(STATE), 0, 0, 0, false }, /* transaction is committed */
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
	/* an address that was sent recently */
	[0x90 ... 0x92] = { KIND(ADDRESS), 0, 0, 0, false },
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

/* Returns the size in bytes that a field of TRCIDR2 stands for: 0, 1, 2 or 4.
 */
static uint8_t context_size(uint32_t field)
{
	field &= 0x1f;
	return field <= 4 && field != 3 ? (uint8_t)field : 0;
}

/* TRCIDR0.COMMOPT (bit 29) matters only together with TRCIDR0.TRCCCI (bit 7),
 * cycle counting.
 */
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

/* Returns whether a third byte follows @byte, the second one. ETE's resets and
 * failed transactions have no address, but a third byte.
 */
static bool has_third_byte(const struct coresight_packet *packet, uint8_t byte)
{
	uint8_t type = byte >> 1 & 0x1f;

	return byte & 0x80 || (packet->is_ete && (!type || type == 0x18));
}

static void consume_control(struct coresight_packet *packet, uint8_t byte)
{
	packet->fixed = byte >> 7;
	if (packet->at != 2)
		return;
	packet->sections = byte & SECTIONS;
	packet->fields = (uint8_t)__builtin_popcount(packet->sections);
}

/* Handles bytes that determine the number of bytes that follow. */
static void consume_special(struct coresight_packet *packet, uint8_t byte)
{
	if (packet->header == EXTENSION && !byte)
		packet->fixed = 1;
	else if (packet->header == EXCEPTION && packet->at == 2)
		packet->fixed = has_third_byte(packet, byte);
	else if (packet->header == TRACE_INFO)
		consume_control(packet, byte);
}

static void consume_section(struct coresight_packet *packet, uint8_t byte)
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

static void consume_field(struct coresight_packet *packet, uint8_t byte)
{
	if (packet->header == TRACE_INFO)
		consume_section(packet, byte);
	if (packet->field_size < UINT8_MAX)
		packet->field_size++;
	if (byte & 0x80 && packet->field_size != packet->field_max)
		return;
	packet->fields--;
	packet->field_size = 0;
	packet->field_max = 0;
}

static void consume_context(struct coresight_packet *packet, uint8_t byte)
{
	packet->has_context = false;
	packet->fixed = (byte >> 6 & 1 ? packet->context_sizes[0] : 0) +
			(byte >> 7 & 1 ? packet->context_sizes[1] : 0);
}

static void consume_byte(struct coresight_packet *packet, uint8_t byte)
{
	if (packet->at < UINT8_MAX)
		packet->at++;
	if (packet->fixed) {
		packet->fixed--;
		consume_special(packet, byte);
	} else if (packet->fields) {
		consume_field(packet, byte);
	} else {
		consume_context(packet, byte);
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

size_t coresight_packet_consume(struct coresight_packet *packet,
				const uint8_t *bytes, size_t size)
{
	size_t taken = 0;

	if (!packet->is_open)
		begin_packet(packet, bytes[taken++]);
	taken += skip_address(packet, size - taken);
	while (!is_whole(packet) && taken < size)
		consume_byte(packet, bytes[taken++]);
	packet->is_open = !is_whole(packet);
	return taken;
}

static struct coresight_atoms mispredicted(uint8_t header)
{
	enum { CANCEL_F3 = 0x38 };
	static const struct coresight_atoms atoms[] = {
		{ 0, 0 },
		{ 1, 1 },
		{ 3, 2 },
		{ 0, 1 },
	};

	return atoms[header & (header >= CANCEL_F3 ? 1 : 3)];
}

/* Returns the atoms of formats 2, 4 and 5: 0xd5 to 0xdf. */
static struct coresight_atoms few(uint8_t header)
{
	static const struct coresight_atoms atoms[] = {
		{ 0x00, 5 }, { 0x0a, 5 }, { 0x15, 5 }, { 0x0, 2 },
		{ 0x1, 2 },  { 0x2, 2 },  { 0x3, 2 },  { 0xe, 4 },
		{ 0x0, 4 },  { 0xa, 4 },  { 0x5, 4 },
	};

	return atoms[header - 0xd5];
}

/* Format 6: executed branches, and a last atom given by bit 5. */
static struct coresight_atoms many(uint8_t header)
{
	uint8_t count = (header & 0x1f) + 4;
	uint32_t last = header >> 5 & 1 ? UINT32_C(1) << (count - 1) : 0;
	uint32_t all = (UINT32_C(1) << count) - 1;

	return (struct coresight_atoms){ all ^ last, count };
}

struct coresight_atoms coresight_atoms_of(uint8_t header)
{
	if (header < 0xc0)
		return mispredicted(header);
	if (header >= 0xf8)
		return (struct coresight_atoms){ header & 7, 3 };
	if (header >= 0xf6)
		return (struct coresight_atoms){ header & 1, 1 };
	if (header == 0xf5)
		return (struct coresight_atoms){ 0x1e, 5 };
	return header >= 0xd5 && header < 0xe0 ? few(header) : many(header);
}

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

/* Returns the form of an address packet, by its header's group and low bits. */
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

/* Parses a short address into the low bits of *@value, and returns its size.
 * A64 and A32 omit two bits of an address, T32 one.
 */
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

/* Writes @address as a packet with all of its bytes, of the same group as
 * @header: those of group 0x80 also have a context.
 */
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

size_t coresight_number(const uint8_t *bytes, size_t most, uint32_t *number)
{
	size_t i = 0;

	*number = 0;
	do
		*number |= (bytes[i] & UINT32_C(0x7f)) << 7 * i;
	while (bytes[i++] & 0x80 && i < most);
	return i;
}

enum coresight_extension coresight_extension_of(const uint8_t *bytes,
						size_t size)
{
	enum { DISCARD = 0x03, OVERFLOW = 0x05, SYNC_SIZE = 12 };

	if (bytes[1] == DISCARD)
		return CORESIGHT_EXTENSION_DISCARD;
	if (bytes[1] == OVERFLOW)
		return CORESIGHT_EXTENSION_OVERFLOW;
	return size == SYNC_SIZE && bytes[SYNC_SIZE - 1] == 0x80 ?
		       CORESIGHT_EXTENSION_SYNC :
		       CORESIGHT_EXTENSION_BAD;
}

bool coresight_exception_has_address(const struct coresight_packet *packet,
				     const uint8_t *bytes)
{
	enum { RESET = 0 };
	uint8_t type = coresight_exception_type(bytes);

	return !packet->is_ete ||
	       (type != RESET && type != CORESIGHT_FAILED_TRANSACTION);
}

bool coresight_may_precede_address(uint8_t kind)
{
	return kind == CORESIGHT_PACKET_EXTENSION ||
	       kind == CORESIGHT_PACKET_IGNORE ||
	       kind == CORESIGHT_PACKET_CONTEXT ||
	       kind == CORESIGHT_PACKET_ADDRESS;
}

static size_t number_behind_header(const uint8_t *bytes)
{
	uint32_t number;

	coresight_number(bytes + 1, 5, &number);
	return number;
}

/* Sets *@count to the number of elements that a cycle count of format 3, 1 or 2
 * commits. Format 2 contains the number less 1 or, with bit 0 set, relative to
 * @depth - 15.
 *
 * Returns whether the packet is valid.
 */
static bool commits_of_cycles(const uint8_t *bytes, size_t depth, size_t *count)
{
	bool is_from_most = bytes[0] & 1;

	if (bytes[0] >= 0x10)
		*count = (bytes[0] >> 2 & 3) + 1u;
	else if (bytes[0] >= 0x0e)
		*count = number_behind_header(bytes);
	else if (!is_from_most)
		*count = (bytes[1] >> 4) + 1u;
	else if (depth + (bytes[1] >> 4) >= 15)
		*count = depth + (bytes[1] >> 4) - 15;
	else
		return false;
	return true;
}

bool coresight_commits(const struct coresight_packet *packet,
		       const uint8_t *bytes, size_t depth, size_t *count)
{
	*count = 0;
	if (packet->kind != CORESIGHT_PACKET_CYCLES)
		*count = number_behind_header(bytes);
	else if (packet->counts_commits)
		return commits_of_cycles(bytes, depth, count);
	return true;
}

/* Format 1 of cancel packets has a number; formats 2 and 3 have a few bits. */
size_t coresight_cancels(const struct coresight_packet *packet,
			 const uint8_t *bytes)
{
	if (packet->kind == CORESIGHT_PACKET_CANCEL)
		return number_behind_header(bytes);
	if (packet->header >= 0x38)
		return (packet->header >> 1 & 3) + 2u;
	return packet->header >= 0x34;
}

void coresight_guard_begin(struct coresight_guard *guard,
			   const struct coresight_unit *unit)
{
	guard->is_on = !coresight_unit_is_old(unit);
	coresight_packet_begin(&guard->packet, unit);
}

#define BIT(kind) (1u << CORESIGHT_PACKET_##kind)

/* Returns whether the packet belongs to speculation, like trace info with
 * uncommitted elements, or is of a unit that is not decoded, whose packets have
 * an unknown length.
 */
static bool is_kept_back(const struct coresight_packet *packet)
{
	const uint32_t kinds = BIT(OTHER) | BIT(COMMIT) | BIT(CANCEL) |
			       BIT(MISPREDICT);

	return kinds >> packet->kind & 1 || packet->depth;
}

/* Returns whether @byte is a packet of atoms, which most packets are, so that
 * it can be skipped quickly.
 */
static bool is_atoms(const struct coresight_packet *packet, uint8_t byte)
{
	return byte >= CORESIGHT_PACKET_FIRST_ATOMS && !packet->is_open;
}

size_t coresight_guard_pass(struct coresight_guard *guard, const uint8_t *bytes,
			    size_t size)
{
	struct coresight_packet *packet = &guard->packet;
	size_t at = 0;

	if (!guard->is_on)
		return size;
	while (at < size) {
		size_t taken = 1;

		if (!is_atoms(packet, bytes[at])) {
			taken = coresight_packet_consume(packet, bytes + at,
							 size - at);
			if (is_kept_back(packet))
				return at;
		}
		at += taken;
	}
	return size;
}
