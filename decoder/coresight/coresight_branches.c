/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_branches.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/flow/flow.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 4096,
	/* What is not settled waits for no more than so many. */
	UNSETTLED = 4096,
	MOST_ATOMS = 64,
	BEGIN_BYTES = 32,
	SYNC_SIZE = 12,
};

static struct coresight_atoms reversed(struct coresight_atoms atoms)
{
	struct coresight_atoms turned = { 0, atoms.count };

	for (unsigned int i = 0; i < atoms.count; i++)
		turned.executed = turned.executed << 1 |
				  (atoms.executed >> i & 1);
	return turned;
}

void coresight_branches_init(struct coresight_branches *b,
			     const struct coresight_feed *feed)
{
	*b = (struct coresight_branches){ .feed = feed };
	for (unsigned int i = CORESIGHT_PACKET_FIRST_ATOMS; i <= UINT8_MAX; i++)
		b->atoms[i] = reversed(coresight_atoms_of((uint8_t)i));
}

void coresight_branches_free(struct coresight_branches *b)
{
	free(b->branches);
}

static bool make_room(struct coresight_branches *b)
{
	size_t room = b->room ? b->room * 2 : FIRST_ROOM;
	struct trace_branch *more =
		realloc(b->branches, room * sizeof(*more));

	b->has_failed |= !more;
	if (!more)
		return false;
	b->branches = more;
	b->room = room;
	return true;
}

struct trace_branch *coresight_branches_add(struct coresight_branches *b,
					    uint8_t kind, uint64_t position)
{
	struct trace_branch *branch = &b->spare;

	if (b->count < b->room || make_room(b))
		branch = &b->branches[b->count++];
	*branch = (struct trace_branch){
		.kind = kind,
		.position = position < b->base ?
				    0 : (uint32_t)(position - b->base),
	};
	return branch;
}

static uint64_t position_now(const struct coresight_branches *b)
{
	return coresight_feed_place(b->feed, b->index);
}

/* Behind a synchronisation packet a few bytes tell where the CPU is.  What comes
 * before that was passed over.
 */
static void end_wait(struct coresight_branches *b, uint64_t index)
{
	struct trace_branch *gap;

	b->is_new = false;
	if (coresight_feed_since_sync(b->feed, index) <= BEGIN_BYTES)
		return;
	gap = coresight_branches_add(b, TRACE_GAP, b->feed->session_start);
	gap->count = FLOW_GAP_UNSYNCED;
}

static struct trace_branch *add(struct coresight_branches *b, uint8_t kind)
{
	if (b->is_new)
		end_wait(b, b->index);
	return coresight_branches_add(b, kind, position_now(b));
}

static void settle(struct coresight_branches *b)
{
	b->settled = b->count;
}

/* What is true whatever is executed counts unless it waits behind what is
 * not.
 */
static void settle_report(struct coresight_branches *b, size_t added)
{
	if (b->settled + added == b->count || b->count - b->settled > UNSETTLED)
		settle(b);
}

static bool is_report(const struct trace_branch *branch)
{
	return branch->kind == TRACE_TIME || branch->kind == TRACE_CYCLES;
}

/* Takes back what waits, but for reports. */
static void take_back(struct coresight_branches *b)
{
	size_t kept = b->settled;

	for (size_t i = b->settled; i < b->count; i++)
		if (is_report(&b->branches[i]))
			b->branches[kept++] = b->branches[i];
	b->count = kept;
	settle(b);
}

void coresight_branches_reset(struct coresight_branches *b)
{
	b->unit = b->feed->unit;
	b->count = b->settled;
	b->group_next = UINT64_MAX;
	coresight_packet_begin(&b->packet, b->unit);
	b->state = CORESIGHT_BRANCHES_LOST;
	b->needs_context = true;
	b->awaits_address = false;
	b->was_discarded = false;
	b->had_overflow = false;
	b->addresses = (struct coresight_addresses){ 0 };
}

void coresight_branches_finish(struct coresight_branches *b)
{
	size_t end = b->settled;

	while (end < b->count && b->branches[end].kind != TRACE_ON)
		end++;
	b->count = end;
	take_back(b);
	if (b->is_new)
		end_wait(b, b->feed->call_index);
	settle(b);
}

void coresight_branches_drop(struct coresight_branches *b)
{
	size_t left = b->count - b->settled;
	const uint64_t reach = (uint64_t)1 << 30;
	uint64_t position = coresight_feed_position(b->feed);
	uint64_t base = position > reach ? position - reach : 0;
	uint32_t step = base > b->base ? (uint32_t)(base - b->base) : 0;

	if (left)
		memmove(b->branches, b->branches + b->settled,
			left * sizeof(*b->branches));
	b->count = left;
	b->settled = 0;
	b->base += step;
	for (size_t i = 0; step && i < left; i++)
		b->branches[i].position -= b->branches[i].position < step ?
						   b->branches[i].position :
						   step;
	b->group_next = UINT64_MAX;
}

static uint32_t number_at(const uint8_t *bytes, size_t most, size_t *size)
{
	uint32_t number = 0;
	size_t i = 0;

	do
		number |= (bytes[i] & UINT32_C(0x7f)) << 7 * i;
	while (bytes[i++] & 0x80 && i < most);
	*size = i;
	return number;
}

/* A packet of atoms right behind another adds to it: positions are then a byte
 * apart, but not in frames.
 */
static inline void take_atoms(struct coresight_branches *b, uint64_t index,
			      uint8_t header)
{
	const struct coresight_atoms atoms = b->atoms[header];
	struct trace_branch *branch = NULL;

	if (b->needs_context)
		return;
	if (index == b->group_next)
		branch = &b->branches[b->count - 1];
	if (!branch || branch->count + atoms.count > MOST_ATOMS) {
		b->index = index;
		branch = add(b, TRACE_ATOMS);
	}
	branch->payload = branch->payload << atoms.count | atoms.executed;
	branch->low = branch->low << atoms.count |
		      UINT64_C(1) << (atoms.count - 1);
	branch->count += atoms.count;
	b->group_next = b->feed->window.piece->is_formatted ? UINT64_MAX :
							      index + 1;
	settle(b);
}

/* Whatever waits is lost, and all up to a synchronisation packet. */
static void discard(struct coresight_branches *b)
{
	take_back(b);
	b->state = CORESIGHT_BRANCHES_LOST;
	b->was_discarded = true;
	b->needs_context = true;
	b->awaits_address = false;
}

static bool take_extension(struct coresight_branches *b)
{
	enum { DISCARD = 0x03, OVERFLOW = 0x05 };

	if (b->bytes[1] == DISCARD || b->bytes[1] == OVERFLOW) {
		b->had_overflow |= b->bytes[1] == OVERFLOW;
		if (b->state == CORESIGHT_BRANCHES_READ)
			discard(b);
		return true;
	}
	if (b->size != SYNC_SIZE || b->bytes[SYNC_SIZE - 1] != 0x80)
		return false;
	if (b->state == CORESIGHT_BRANCHES_LOST)
		b->state = CORESIGHT_BRANCHES_SYNCED;
	return true;
}

/* Returns the least count of cycles, which is the last of four sections. */
static uint32_t threshold_of(const struct coresight_branches *b)
{
	enum { FIRST_SECTION = 0x01, THRESHOLD = 0x08 };
	uint8_t sections = b->bytes[1];
	size_t at = 1;
	size_t size;
	uint32_t number = 0;

	while (b->bytes[at++] & 0x80)
		continue;
	for (uint8_t section = FIRST_SECTION; section <= THRESHOLD;
	     section = (uint8_t)(section << 1)) {
		if (!(sections & section))
			continue;
		number = number_at(b->bytes + at, 5, &size);
		at += size;
	}
	return sections & THRESHOLD ? number : 0;
}

static bool take_info(struct coresight_branches *b)
{
	b->threshold = threshold_of(b);
	b->ticks = 0;
	memset(b->addresses.last, 0, sizeof(b->addresses.last));
	b->state = CORESIGHT_BRANCHES_READ;
	add(b, TRACE_SYNC);
	settle_report(b, 1);
	return true;
}

/* Of up to nine bytes the last has eight bits. */
static size_t take_ticks(struct coresight_branches *b)
{
	uint64_t value = 0;
	uint64_t mask;
	size_t i = 0;

	do {
		uint64_t bits = i == 8 ? b->bytes[1 + i] :
					 b->bytes[1 + i] & 0x7f;

		value |= bits << 7 * i;
	} while (b->bytes[1 + i++] & 0x80 && i < 9);
	mask = i < 7 ? (UINT64_C(1) << 7 * i) - 1 : UINT64_MAX;
	b->ticks = (b->ticks & ~mask) | value;
	return i;
}

static bool counts_cycles(const struct coresight_branches *b)
{
	return b->unit->config >> 4 & 1;
}

static void take_time(struct coresight_branches *b)
{
	size_t size = take_ticks(b);
	uint32_t cycles = 0;

	if (b->bytes[0] & 1)
		cycles = number_at(b->bytes + 1 + size, 3, &size) & 0xfffff;
	add(b, TRACE_TIME)->payload = b->ticks;
	if (counts_cycles(b)) {
		struct trace_branch *count = add(b, TRACE_CYCLES);

		count->payload = cycles;
		count->count = 1;
	}
	settle_report(b, 1 + counts_cycles(b));
}

/* Events and instrumentation do not change where control goes. */
static bool take_report(struct coresight_branches *b)
{
	if (b->bytes[0] == 0x02 || b->bytes[0] == 0x03)
		take_time(b);
	return true;
}

/* Formats 3, 2 and 1, which has the commits first, and may have no count. */
static bool take_cycles(struct coresight_branches *b)
{
	uint8_t header = b->bytes[0];
	uint64_t cycles = b->threshold;
	size_t at = 1;
	size_t size;

	if (header >= 0x10) {
		cycles += header & 3;
	} else if (header < 0x0e) {
		cycles += b->bytes[1] & 0xf;
	} else if (header == 0x0f) {
		cycles = 0;
	} else {
		if (b->packet.counts_commits) {
			number_at(b->bytes + at, 5, &size);
			at += size;
		}
		cycles += number_at(b->bytes + at, 3, &size);
	}
	add(b, TRACE_CYCLES)->payload = cycles;
	settle_report(b, 1);
	return true;
}

static bool take_state(struct coresight_branches *b)
{
	enum { ON = 0x04, EXCEPTION_RETURN = 0x07 };

	if (b->bytes[0] == ON) {
		add(b, TRACE_ON)->count = b->had_overflow;
		b->had_overflow = false;
	} else if (b->bytes[0] == EXCEPTION_RETURN) {
		add(b, TRACE_EXCEPTION_RETURN);
	} else {
		add(b, TRACE_TRANSACTION)->payload = 2;
	}
	return true;
}

/* As elements, if TRCIDR0.COMMTRANS is 0. */
static bool take_transaction(struct coresight_branches *b)
{
	add(b, TRACE_TRANSACTION)->payload = 1;
	if (!(b->unit->idr0 >> 30 & 1))
		settle(b);
	return true;
}

/* ETE's resets (0) and failed transactions (24) have no address. */
static bool take_exception(struct coresight_branches *b)
{
	enum { TARGET = 0x40, TARGET_MASK = 0x41, FAILED = 24 };
	uint8_t type = b->bytes[1] >> 1 & 0x1f;

	if (b->packet.is_ete && (!type || type == FAILED)) {
		if (type == FAILED)
			add(b, TRACE_TRANSACTION)->payload = 3;
		return true;
	}
	b->awaits_address = true;
	b->exception_position = position_now(b);
	b->exception = (coresight_is_call(false, type) ?
				TRACE_EXCEPTION_CALL : 0) |
		       ((b->bytes[1] & TARGET_MASK) == TARGET ?
				TRACE_EXCEPTION_TARGET : 0);
	return true;
}

static uint32_t id_at(const uint8_t *bytes, size_t size)
{
	uint32_t id = 0;

	for (size_t i = 0; i < size; i++)
		id |= (uint32_t)bytes[i] << 8 * i;
	return id;
}

/* What a context says: the instruction set, the VMID, the context id. */
static void note_context(struct coresight_branches *b, const uint8_t *bytes)
{
	enum { IS_64BIT = 0x10, HAS_VMID = 0x40, HAS_ID = 0x80 };
	enum coresight_task_field field = coresight_unit_task_field(b->unit);
	const uint8_t *vmid = bytes + 1;
	size_t vmid_size = *bytes & HAS_VMID ? b->packet.context_sizes[0] : 0;
	size_t id_size = *bytes & HAS_ID ? b->packet.context_sizes[1] : 0;

	b->addresses.is_64bit = *bytes & IS_64BIT;
	b->needs_context = false;
	add(b, TRACE_MODE)->payload = b->addresses.is_64bit ? 2 : 1;
	if (field == CORESIGHT_TASK_CONTEXT && id_size)
		add(b, TRACE_TASK)->payload = id_at(vmid + vmid_size, id_size);
	if (field == CORESIGHT_TASK_VMID && vmid_size)
		add(b, TRACE_TASK)->payload = id_at(vmid, vmid_size);
}

static bool take_context(struct coresight_branches *b)
{
	if (b->size > 1)
		note_context(b, b->bytes + 1);
	return true;
}

static enum trace_set set_now(const struct coresight_branches *b)
{
	if (b->addresses.is_64bit)
		return TRACE_A64;
	return b->addresses.last[0].isa ? TRACE_T32 : TRACE_A32;
}

/* An address, and the context that may come with it. */
static void note_address(struct coresight_branches *b)
{
	uint8_t unused[CORESIGHT_ADDRESS_SIZE];
	size_t read = coresight_address_expand(&b->addresses, b->bytes, unused);

	if (b->size > read)
		note_context(b, b->bytes + read);
}

static bool take_address(struct coresight_branches *b)
{
	struct trace_branch *branch;

	note_address(b);
	if (b->awaits_address) {
		branch = coresight_branches_add(b, TRACE_EXCEPTION,
						b->exception_position);
		branch->count = b->exception;
	} else {
		branch = add(b, TRACE_ADDRESS);
	}
	branch->payload = b->addresses.last[0].value;
	branch->has_address = true;
	branch->count |= set_now(b);
	if (b->awaits_address)
		settle(b);
	b->awaits_address = false;
	return true;
}

/* Of an ETE alone. */
static bool take_source(struct coresight_branches *b)
{
	struct trace_branch *branch;

	if (!b->packet.is_ete)
		return false;
	note_address(b);
	if (b->needs_context)
		return true;
	branch = add(b, TRACE_SOURCE);
	branch->payload = b->addresses.last[0].value;
	branch->has_address = true;
	branch->count = (uint8_t)set_now(b);
	settle(b);
	return true;
}

static bool take_nothing(struct coresight_branches *b)
{
	(void)b;
	return true;
}

/* Packets of speculation, and of no unit that is decoded. */
static bool refuse(struct coresight_branches *b)
{
	(void)b;
	return false;
}

#define KIND(name) CORESIGHT_PACKET_##name

static const struct {
	bool (*take)(struct coresight_branches *b);
	bool is_between;	/* may come between exception and address */
} kinds[CORESIGHT_PACKET_KINDS] = {
	[KIND(OTHER)] = { refuse, false },
	[KIND(EXTENSION)] = { take_extension, true },
	[KIND(TRACE_INFO)] = { take_info, false },
	[KIND(REPORT)] = { take_report, false },
	[KIND(STATE)] = { take_state, false },
	[KIND(TRANSACTION)] = { take_transaction, false },
	[KIND(EXCEPTION)] = { take_exception, false },
	[KIND(IGNORE)] = { take_nothing, true },
	[KIND(CYCLES)] = { take_cycles, false },
	[KIND(COMMIT)] = { refuse, false },
	[KIND(CANCEL)] = { refuse, false },
	[KIND(MISPREDICT)] = { refuse, false },
	[KIND(CONTEXT)] = { take_context, true },
	[KIND(ADDRESS)] = { take_address, true },
	[KIND(SOURCE)] = { take_source, false },
	[KIND(Q)] = { refuse, false },
	[KIND(ATOMS)] = { refuse, false },
};

/* The unit's own buffer was full: the gap begins at the packet behind. */
static void say_discard(struct coresight_branches *b)
{
	b->was_discarded = false;
	coresight_branches_add(b, TRACE_GAP, position_now(b))->count =
		FLOW_GAP_OVERFLOW;
	settle(b);
}

static bool take_packet(struct coresight_branches *b)
{
	uint8_t kind = b->packet.kind;

	b->group_next = UINT64_MAX;
	if (b->was_discarded)
		say_discard(b);
	if (b->awaits_address && !kinds[kind].is_between)
		return false;
	if (b->state != CORESIGHT_BRANCHES_READ && kind != KIND(EXTENSION) &&
	    (kind != KIND(TRACE_INFO) || b->state == CORESIGHT_BRANCHES_LOST))
		return true;
	return kinds[kind].take(b);
}

static bool take_bytes(struct coresight_branches *b, const uint8_t *bytes,
		       size_t size)
{
	if (size > sizeof(b->bytes) - b->size)
		return false;
	memcpy(b->bytes + b->size, bytes, size);
	b->size += (uint8_t)size;
	return b->packet.is_open || take_packet(b);
}

static inline bool is_quick(const struct coresight_branches *b, uint8_t byte)
{
	return byte >= CORESIGHT_PACKET_FIRST_ATOMS && !b->packet.is_open &&
	       b->state == CORESIGHT_BRANCHES_READ && !b->awaits_address;
}

size_t coresight_branches_take(struct coresight_branches *b, uint64_t index,
			       const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t taken;

		if (is_quick(b, bytes[at])) {
			take_atoms(b, index + at, bytes[at]);
			at++;
			continue;
		}
		if (!b->packet.is_open) {
			b->index = index + at;
			b->size = 0;
		}
		taken = coresight_packet_take(&b->packet, bytes + at,
					      size - at);
		if (!take_bytes(b, bytes + at, taken)) {
			b->packet.is_open = false;
			return at + taken - (at + taken == size);
		}
		at += taken;
	}
	return size;
}
