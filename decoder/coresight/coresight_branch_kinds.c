/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_branch_kinds.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/coresight/coresight_fields.h"

#include <string.h>

/* Drops all waiting branches, and everything up to a synchronization packet. */
static void discard(struct coresight_branches *b)
{
	branch_list_take_back(&b->list);
	b->state = CORESIGHT_BRANCHES_LOST;
	b->was_discarded = true;
	b->needs_context = true;
	b->awaits_address = false;
}

static bool take_extension(struct coresight_branches *b)
{
	switch (coresight_extension_of(b->bytes, b->size)) {
	case CORESIGHT_EXTENSION_BAD:
		return false;
	case CORESIGHT_EXTENSION_SYNC:
		if (b->state == CORESIGHT_BRANCHES_LOST)
			b->state = CORESIGHT_BRANCHES_SYNCED;
		break;
	case CORESIGHT_EXTENSION_OVERFLOW:
		b->had_overflow = true;
		/* fall through */
	case CORESIGHT_EXTENSION_DISCARD:
		if (b->state == CORESIGHT_BRANCHES_READ)
			discard(b);
		break;
	}
	return true;
}

/* Returns the cycle count threshold, the last of four sections. */
static uint32_t threshold_of(const struct coresight_branches *b)
{
	enum { FIRST_SECTION = 0x01, THRESHOLD = 0x08 };
	uint8_t sections = b->bytes[1];
	size_t at = 1;
	uint32_t number = 0;

	while (b->bytes[at++] & 0x80)
		continue;
	for (uint8_t section = FIRST_SECTION; section <= THRESHOLD;
	     section = (uint8_t)(section << 1)) {
		if (!(sections & section))
			continue;
		at += coresight_number(b->bytes + at, 5, &number);
	}
	return sections & THRESHOLD ? number : 0;
}

static bool take_info(struct coresight_branches *b)
{
	b->threshold = threshold_of(b);
	b->ticks = 0;
	memset(b->addresses.last, 0, sizeof(b->addresses.last));
	b->state = CORESIGHT_BRANCHES_READ;
	coresight_branches_say(b, TRACE_SYNC);
	branch_list_commit_report(&b->list, 1);
	return true;
}

/* The ninth and last byte has eight bits. */
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
		coresight_number(b->bytes + 1 + size, 3, &cycles);
	coresight_branches_say(b, TRACE_TIME)->payload = b->ticks;
	if (counts_cycles(b)) {
		struct trace_branch *count =
			coresight_branches_say(b, TRACE_CYCLES);

		count->payload = cycles & 0xfffff;
		count->count = 1;
	}
	branch_list_commit_report(&b->list, 1 + counts_cycles(b));
}

/* Events and instrumentation do not change where control goes. */
static bool take_report(struct coresight_branches *b)
{
	if (b->bytes[0] == 0x02 || b->bytes[0] == 0x03)
		take_time(b);
	return true;
}

/* Formats 3, 2 and 1, of which the last has the commits first and may have no
 * count.
 */
static bool take_cycles(struct coresight_branches *b)
{
	uint8_t header = b->bytes[0];
	uint64_t cycles = b->threshold;
	size_t at = 1;
	uint32_t number;

	if (header >= 0x10) {
		cycles += header & 3;
	} else if (header < 0x0e) {
		cycles += b->bytes[1] & 0xf;
	} else if (header == 0x0f) {
		cycles = 0;
	} else {
		if (b->packet.counts_commits)
			at += coresight_number(b->bytes + at, 5, &number);
		coresight_number(b->bytes + at, 3, &number);
		cycles += number;
	}
	coresight_branches_say(b, TRACE_CYCLES)->payload = cycles;
	branch_list_commit_report(&b->list, 1);
	return true;
}

static bool take_state(struct coresight_branches *b)
{
	enum { ON = 0x04, EXCEPTION_RETURN = 0x07 };

	if (b->bytes[0] == ON) {
		coresight_branches_say(b, TRACE_ON)->count = b->had_overflow;
		b->had_overflow = false;
	} else if (b->bytes[0] == EXCEPTION_RETURN) {
		coresight_branches_say(b, TRACE_EXCEPTION_RETURN);
	} else {
		coresight_branches_say(b, TRACE_TRANSACTION)->payload = 2;
	}
	return true;
}

/* Transactions are elements if TRCIDR0.COMMTRANS is 0. */
static bool take_transaction(struct coresight_branches *b)
{
	coresight_branches_say(b, TRACE_TRANSACTION)->payload = 1;
	if (!(b->unit->idr0 >> 30 & 1))
		branch_list_commit(&b->list);
	return true;
}

static bool take_exception(struct coresight_branches *b)
{
	enum { TARGET = 0x40, TARGET_MASK = 0x41 };
	uint8_t type = coresight_exception_type(b->bytes);

	if (!coresight_exception_has_address(&b->packet, b->bytes)) {
		if (type == CORESIGHT_FAILED_TRANSACTION)
			coresight_branches_say(b, TRACE_TRANSACTION)->payload =
				3;
		return true;
	}
	b->awaits_address = true;
	b->exception_position = coresight_branches_position(b);
	b->exception =
		(coresight_is_call(false, type) ? TRACE_EXCEPTION_CALL : 0) |
		((b->bytes[1] & TARGET_MASK) == TARGET ?
			 TRACE_EXCEPTION_TARGET :
			 0);
	return true;
}

static uint32_t id_at(const uint8_t *bytes, size_t size)
{
	uint32_t id = 0;

	for (size_t i = 0; i < size; i++)
		id |= (uint32_t)bytes[i] << 8 * i;
	return id;
}

/* Stores the contents of a context: instruction set, VMID, context ID. */
static void note_context(struct coresight_branches *b, const uint8_t *bytes)
{
	enum { IS_64BIT = 0x10, HAS_VMID = 0x40, HAS_ID = 0x80 };
	enum coresight_task_field field = coresight_unit_task_field(b->unit);
	const uint8_t *vmid = bytes + 1;
	size_t vmid_size = *bytes & HAS_VMID ? b->packet.context_sizes[0] : 0;
	size_t id_size = *bytes & HAS_ID ? b->packet.context_sizes[1] : 0;

	b->addresses.is_64bit = *bytes & IS_64BIT;
	b->needs_context = false;
	coresight_branches_say(b, TRACE_MODE)->payload =
		b->addresses.is_64bit ? 2 : 1;
	if (field == CORESIGHT_TASK_CONTEXT && id_size)
		coresight_branches_say(b, TRACE_TASK)->payload =
			id_at(vmid + vmid_size, id_size);
	if (field == CORESIGHT_TASK_VMID && vmid_size)
		coresight_branches_say(b, TRACE_TASK)->payload =
			id_at(vmid, vmid_size);
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

/* Parses an address, and the context that may follow. */
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
		branch = branch_list_add(&b->list, TRACE_EXCEPTION,
					 b->exception_position);
		branch->count = b->exception;
	} else {
		branch = coresight_branches_say(b, TRACE_ADDRESS);
	}
	branch->payload = b->addresses.last[0].value;
	branch->has_address = true;
	branch->count |= set_now(b);
	if (b->awaits_address)
		branch_list_commit(&b->list);
	b->awaits_address = false;
	return true;
}

/* Only in ETE. */
static bool take_source(struct coresight_branches *b)
{
	struct trace_branch *branch;

	if (!b->packet.is_ete)
		return false;
	note_address(b);
	if (b->needs_context)
		return true;
	branch = coresight_branches_say(b, TRACE_SOURCE);
	branch->payload = b->addresses.last[0].value;
	branch->has_address = true;
	branch->count = (uint8_t)set_now(b);
	branch_list_commit(&b->list);
	return true;
}

static bool take_nothing(struct coresight_branches *b)
{
	(void)b;
	return true;
}

/* Rejects packets of speculation, and those that no decoded unit writes. */
static bool refuse(struct coresight_branches *b)
{
	(void)b;
	return false;
}

#define KIND(name) CORESIGHT_PACKET_##name

coresight_branches_take_kind
	*const coresight_branch_kinds[CORESIGHT_PACKET_KINDS] = {
		[KIND(OTHER)] = refuse,
		[KIND(EXTENSION)] = take_extension,
		[KIND(TRACE_INFO)] = take_info,
		[KIND(REPORT)] = take_report,
		[KIND(STATE)] = take_state,
		[KIND(TRANSACTION)] = take_transaction,
		[KIND(EXCEPTION)] = take_exception,
		[KIND(IGNORE)] = take_nothing,
		[KIND(CYCLES)] = take_cycles,
		[KIND(COMMIT)] = refuse,
		[KIND(CANCEL)] = refuse,
		[KIND(MISPREDICT)] = refuse,
		[KIND(CONTEXT)] = take_context,
		[KIND(ADDRESS)] = take_address,
		[KIND(SOURCE)] = take_source,
		[KIND(Q)] = refuse,
		[KIND(ATOMS)] = refuse,
	};
