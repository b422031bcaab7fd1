/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_guard.h"
#include "decoder/recording/coresight_unit.h"

enum {
	EXTENSION = 0x00,
	TRACE_INFO = 0x01,
	EXCEPTION = 0x06,
	COUNT_F1 = 0x0e,
	COUNT_F1_UNKNOWN = 0x0f,
	COMMIT = 0x2d,
	LAST_CANCEL = 0x3f,
};

/* What follows each header: nothing, where it is not listed. */
static const struct layout {
	uint8_t fixed;
	uint8_t fields;
	uint8_t field_max;
	bool has_context;
	bool is_silent;		/* says nothing of where the CPU is */
} layouts[UINT8_MAX + 1] = {
	[EXTENSION] = { 1, 0, 0, false, true },
	[TRACE_INFO] = { 1, 0, 0, false, true },
	[0x02] = { 0, 1, 9, false, false },		/* time stamp */
	[0x03] = { 0, 2, 9, false, false },		/* and cycle count */
	[EXCEPTION] = { 1, 0, 0, false, false },
	[0x0c ... 0x0d] = { 1, 0, 0, false, false },	/* count, format 2 */
	[COUNT_F1] = { 0, 1, 0, false, false },
	[0x20 ... 0x2c] = { 0, 0, 0, false, true },	/* markers */
	[0x70] = { 0, 0, 0, false, true },		/* ignore */
	[0x80] = { 0, 0, 0, false, true },		/* same context */
	[0x81] = { 0, 0, 0, true, true },		/* context */
	[0x82 ... 0x83] = { 4, 0, 0, true, false },	/* and address */
	[0x85 ... 0x86] = { 8, 0, 0, true, false },
	[0x95 ... 0x96] = { 0, 1, 2, false, false },	/* short address */
	[0x9a ... 0x9b] = { 4, 0, 0, false, false },	/* address */
	[0x9d ... 0x9e] = { 8, 0, 0, false, false },
	[0xb4 ... 0xb5] = { 0, 1, 2, false, false },	/* source address */
	[0xb6 ... 0xb7] = { 4, 0, 0, false, false },
	[0xb8 ... 0xb9] = { 8, 0, 0, false, false },
};

static bool is_unknown(uint8_t header)
{
	return (header >= 0x40 && header < 0x70) || header >> 4 == 0xa;
}

void coresight_guard_begin(struct coresight_guard *guard,
			   const struct coresight_unit *unit)
{
	uint8_t id = unit->idr2 >> 5 & 0x1f;
	uint8_t vmid = unit->idr2 >> 10 & 0x1f;

	*guard = (struct coresight_guard){
		.is_following = !coresight_unit_is_old(unit) && !unit->idr8,
		.counts_commits = !(unit->idr0 >> 29 & 1),
		.context_sizes = { vmid, id },
	};
}

static void begin_packet(struct coresight_guard *guard, uint8_t header)
{
	const struct layout *layout = &layouts[header];

	guard->fields = layout->fields;
	if (header == COUNT_F1 || header == COUNT_F1_UNKNOWN)
		guard->fields += guard->counts_commits;
	guard->header = header;
	guard->at = 1;
	guard->fixed = layout->fixed;
	guard->field_size = 0;
	guard->field_max = layout->field_max;
	guard->has_context = layout->has_context;
	guard->awaits_address = header == EXCEPTION ||
				(guard->awaits_address && layout->is_silent);
	guard->is_following = !is_unknown(header);
	guard->in_packet = true;
}

/* Bytes that say how many more there are. */
static void take_special(struct coresight_guard *guard, uint8_t byte)
{
	bool is_second = guard->at == 2;

	if (guard->header == EXTENSION && !byte)
		guard->fixed = 1;
	else if (guard->header == EXCEPTION && is_second)
		guard->fixed = byte >> 7;
	else if (guard->header == TRACE_INFO && is_second)
		guard->fields = (uint8_t)__builtin_popcount(byte & 0x1f);
}

static void take_field(struct coresight_guard *guard, uint8_t byte)
{
	guard->field_size++;
	if (byte & 0x80 && guard->field_size != guard->field_max)
		return;
	guard->fields--;
	guard->field_size = 0;
	guard->field_max = 0;
}

static void take_context(struct coresight_guard *guard, uint8_t byte)
{
	guard->has_context = false;
	guard->fixed = (byte >> 6 & 1 ? guard->context_sizes[0] : 0) +
		       (byte >> 7 & 1 ? guard->context_sizes[1] : 0);
}

static void take_byte(struct coresight_guard *guard, uint8_t byte)
{
	if (guard->at < UINT8_MAX)
		guard->at++;
	if (guard->fixed) {
		guard->fixed--;
		take_special(guard, byte);
	} else if (guard->fields) {
		take_field(guard, byte);
	} else {
		take_context(guard, byte);
	}
}

/* Of what was speculated, which is nothing.  Trace info may say that something
 * is still to be committed, in its third section.
 */
static bool is_speculation(const struct coresight_guard *guard, uint8_t byte)
{
	if (!guard->in_packet)
		return byte >= COMMIT && byte <= LAST_CANCEL;
	return guard->awaits_address && guard->header == TRACE_INFO &&
	       guard->at == 1 && byte & 4;
}

size_t coresight_guard_pass(struct coresight_guard *guard,
			    const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && guard->is_following; i++) {
		if (is_speculation(guard, bytes[i]))
			return i;
		if (guard->in_packet)
			take_byte(guard, bytes[i]);
		else
			begin_packet(guard, bytes[i]);
		guard->in_packet = guard->fixed || guard->fields ||
				   guard->has_context;
	}
	return size;
}
