/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/branches_internal.h"

#include "decoder/coresight/feed_internal.h"
#include "decoder/coresight/packet_internal.h"
#include "decoder/coresight/range_exit_internal.h"
#include "decoder/flow/flow.h"

#include <stdlib.h>
#include <string.h>

/* Turns packets of ETMv4 and ETE into branches (struct trace_branch).
 *
 * Packets about the next instruction (a context, an address, the start of
 * tracing) wait in b->list as uncommitted until an atom, an exception with its
 * address, or a source address follows. Times and cycle counts are true
 * whatever is executed, and are never taken back. After a synchronization
 * packet trace info must follow (CORESIGHT_BRANCHES_SYNCED); trace before the
 * first one is skipped, with a gap.
 */

/* Consumes the current packet, which is complete and of a certain kind. Returns
 * whether it is valid at this point of the trace.
 */
typedef bool coresight_consume_kind(struct coresight_branches *branches);

/* Progress after a synchronization packet. */
enum coresight_branches_state {
	CORESIGHT_BRANCHES_LOST,   /* waits for a synchronization packet */
	CORESIGHT_BRANCHES_SYNCED, /* waits for trace info */
	CORESIGHT_BRANCHES_READ,
};

enum {
	FIRST_ROOM = 512,
	/* Maximum number of uncommitted branches that times and counts wait
	 * for.
	 */
	UNCOMMITTED = 4096,
};

static void branch_list_free(struct branch_list *list)
{
	free(list->branches);
}

bool branch_list_grow(struct branch_list *list)
{
	size_t room = list->room ? list->room * 2 : FIRST_ROOM;
	struct trace_branch *more =
		realloc(list->branches, room * sizeof(*more));

	list->has_failed |= !more;
	if (!more)
		return false;
	list->branches = more;
	list->room = room;
	return true;
}

/* Commits all branches if only the last @added ones are uncommitted, which are
 * true whatever is executed (times and counts), or if too many wait.
 */
static void branch_list_commit_report(struct branch_list *list, size_t added)
{
	if (list->committed + added == list->count ||
	    list->count - list->committed > UNCOMMITTED)
		branch_list_commit(list);
}

static bool is_report(const struct trace_branch *branch)
{
	return branch->kind == TRACE_TIME || branch->kind == TRACE_CYCLES;
}

/* Removes the uncommitted branches, except times and cycle counts, which are
 * true whatever is executed and are committed.
 */
static void branch_list_drop_uncommitted(struct branch_list *list)
{
	size_t kept = list->committed;

	for (size_t i = list->committed; i < list->count; i++)
		if (is_report(&list->branches[i]))
			list->branches[kept++] = list->branches[i];
	list->count = kept;
	branch_list_commit(list);
}

/* Like branch_list_drop_uncommitted(), but first removes everything from the
 * first uncommitted TRACE_ON on, times and counts included. For the end of the
 * trace.
 */
static void branch_list_finish(struct branch_list *list)
{
	size_t end = list->committed;

	while (end < list->count && list->branches[end].kind != TRACE_ON)
		end++;
	list->count = end;
	branch_list_drop_uncommitted(list);
}

/* Discards the committed branches. Later positions are relative to a base near
 * @position, where the trace is read.
 */
static void branch_list_drop(struct branch_list *list, uint64_t position)
{
	size_t left = list->count - list->committed;
	const uint64_t reach = (uint64_t)1 << 30;
	uint64_t base = position > reach ? position - reach : 0;
	uint32_t step = base > list->base ? (uint32_t)(base - list->base) : 0;

	if (left)
		memmove(list->branches, list->branches + list->committed,
			left * sizeof(*list->branches));
	list->count = left;
	list->committed = 0;
	list->base += step;
	for (size_t i = 0; step && i < left; i++)
		list->branches[i].position -=
			list->branches[i].position < step ?
				list->branches[i].position :
				step;
}

/* Discards all branches; sets the base of positions. */
static void branch_list_restart(struct branch_list *list, uint64_t base)
{
	list->count = 0;
	list->committed = 0;
	list->base = base;
}

/* Drops the uncommitted branches, and all trace up to a synchronization packet.
 */
static void discard(struct coresight_branches *b)
{
	branch_list_drop_uncommitted(&b->list);
	b->state = CORESIGHT_BRANCHES_LOST;
	b->was_discarded = true;
	b->needs_context = true;
	b->awaits_address = false;
}

static bool consume_extension(struct coresight_branches *b)
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

#define KIND(name) CORESIGHT_PACKET_##name

enum {
	MOST_ATOMS = 64,
	BEGIN_BYTES = 32,
};

/* Adds a gap for the trace before a synchronization packet, which was skipped.
 * Adds none if the first branch, at @index, follows within BEGIN_BYTES.
 */
static void end_wait(struct coresight_branches *b, uint64_t index)
{
	struct trace_branch *gap;

	b->is_new = false;
	if (coresight_feed_since_sync(b->feed, index) <= BEGIN_BYTES)
		return;
	gap = branch_list_add(&b->list, TRACE_GAP, b->feed->session_start);
	gap->count = FLOW_GAP_UNSYNCED;
}

/* Returns the position of the current packet in the stream's bytes. */
static uint64_t branch_position(const struct coresight_branches *b)
{
	return coresight_feed_position_at(b->feed, b->index);
}

/* Adds a branch for the current packet. */
static struct trace_branch *add_branch(struct coresight_branches *b,
				       uint8_t kind)
{
	if (b->is_new)
		end_wait(b, b->index);
	return branch_list_add(&b->list, kind, branch_position(b));
}

static bool consume_info(struct coresight_branches *b)
{
	b->threshold = threshold_of(b);
	b->ticks = 0;
	memset(b->addresses.last, 0, sizeof(b->addresses.last));
	b->state = CORESIGHT_BRANCHES_READ;
	add_branch(b, TRACE_SYNC);
	branch_list_commit_report(&b->list, 1);
	return true;
}

/* Parses a time stamp, whose ninth and last byte has eight bits. Returns its
 * size.
 */
static size_t consume_ticks(struct coresight_branches *b)
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

/* Returns false if the trace cannot have been written at the time. */
static bool consume_time(struct coresight_branches *b)
{
	size_t size = consume_ticks(b);
	uint32_t cycles = 0;

	if (b->ticks && !tick_span_has(&b->span, b->ticks))
		return false;
	if (b->bytes[0] & 1)
		coresight_number(b->bytes + 1 + size, 3, &cycles);
	add_branch(b, TRACE_TIME)->payload = b->ticks;
	if (counts_cycles(b)) {
		struct trace_branch *count = add_branch(b, TRACE_CYCLES);

		count->payload = cycles & 0xfffff;
		count->count = 1;
	}
	branch_list_commit_report(&b->list, 1 + counts_cycles(b));
	return true;
}

/* Consumes a packet of reports. Events and instrumentation do not change where
 * control goes.
 */
static bool consume_report(struct coresight_branches *b)
{
	return (b->bytes[0] != 0x02 && b->bytes[0] != 0x03) || consume_time(b);
}

/* Consumes a cycle count, format 3, 2 or 1. Format 1 has the commits first, and
 * may have no count.
 */
static bool consume_cycles(struct coresight_branches *b)
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
	add_branch(b, TRACE_CYCLES)->payload = cycles;
	branch_list_commit_report(&b->list, 1);
	return true;
}

static bool consume_state(struct coresight_branches *b)
{
	enum { ON = 0x04, EXCEPTION_RETURN = 0x07 };

	if (b->bytes[0] == ON) {
		add_branch(b, TRACE_ON)->count = b->had_overflow;
		b->had_overflow = false;
	} else if (b->bytes[0] == EXCEPTION_RETURN) {
		add_branch(b, TRACE_EXCEPTION_RETURN);
	} else {
		add_branch(b, TRACE_TRANSACTION)->payload = 2;
	}
	return true;
}

/* Consumes the start of a transaction, which is an element if TRCIDR0.COMMTRANS
 * is 0.
 */
static bool consume_transaction(struct coresight_branches *b)
{
	add_branch(b, TRACE_TRANSACTION)->payload = 1;
	if (!(b->unit->idr0 >> 30 & 1))
		branch_list_commit(&b->list);
	return true;
}

static bool consume_exception(struct coresight_branches *b)
{
	enum { TARGET = 0x40, TARGET_MASK = 0x41 };
	uint8_t type = coresight_exception_type(b->bytes);

	if (!coresight_exception_has_address(&b->packet, b->bytes)) {
		if (type == CORESIGHT_FAILED_TRANSACTION)
			add_branch(b, TRACE_TRANSACTION)->payload = 3;
		return true;
	}
	b->awaits_address = true;
	b->exception_position = branch_position(b);
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
	add_branch(b, TRACE_MODE)->payload = b->addresses.is_64bit ? 2 : 1;
	if (field == CORESIGHT_TASK_CONTEXT && id_size)
		add_branch(b, TRACE_TASK)->payload =
			id_at(vmid + vmid_size, id_size);
	if (field == CORESIGHT_TASK_VMID && vmid_size)
		add_branch(b, TRACE_TASK)->payload = id_at(vmid, vmid_size);
}

static bool consume_context(struct coresight_branches *b)
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

static bool consume_address(struct coresight_branches *b)
{
	struct trace_branch *branch;

	note_address(b);
	if (b->awaits_address) {
		branch = branch_list_add(&b->list, TRACE_EXCEPTION,
					 b->exception_position);
		branch->count = b->exception;
	} else {
		branch = add_branch(b, TRACE_ADDRESS);
	}
	branch->payload = b->addresses.last[0].value;
	branch->has_address = true;
	branch->count |= set_now(b);
	if (b->awaits_address)
		branch_list_commit(&b->list);
	b->awaits_address = false;
	return true;
}

/* Consumes a source address, which only ETE has. */
static bool consume_source(struct coresight_branches *b)
{
	struct trace_branch *branch;

	if (!b->packet.is_ete)
		return false;
	note_address(b);
	if (b->needs_context)
		return true;
	branch = add_branch(b, TRACE_SOURCE);
	branch->payload = b->addresses.last[0].value;
	branch->has_address = true;
	branch->count = (uint8_t)set_now(b);
	branch_list_commit(&b->list);
	return true;
}

static bool consume_nothing(struct coresight_branches *b)
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

static coresight_consume_kind
	*const coresight_branch_kinds[CORESIGHT_PACKET_KINDS] = {
		[KIND(OTHER)] = refuse,
		[KIND(EXTENSION)] = consume_extension,
		[KIND(TRACE_INFO)] = consume_info,
		[KIND(REPORT)] = consume_report,
		[KIND(STATE)] = consume_state,
		[KIND(TRANSACTION)] = consume_transaction,
		[KIND(EXCEPTION)] = consume_exception,
		[KIND(IGNORE)] = consume_nothing,
		[KIND(CYCLES)] = consume_cycles,
		[KIND(COMMIT)] = refuse,
		[KIND(CANCEL)] = refuse,
		[KIND(MISPREDICT)] = refuse,
		[KIND(CONTEXT)] = consume_context,
		[KIND(ADDRESS)] = consume_address,
		[KIND(SOURCE)] = consume_source,
		[KIND(Q)] = refuse,
		[KIND(ATOMS)] = refuse,
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
	branch_list_free(&b->list);
}

void coresight_branches_reset(struct coresight_branches *b)
{
	b->unit = b->feed->unit;
	b->span = recording_tick_span(b->feed->recording);
	b->list.count = b->list.committed;
	b->group_next = UINT64_MAX;
	coresight_packet_begin(&b->packet, b->unit);
	b->state = CORESIGHT_BRANCHES_LOST;
	b->needs_context = true;
	b->awaits_address = false;
	b->was_discarded = false;
	b->had_overflow = false;
	b->addresses = (struct coresight_addresses){ 0 };
}

void coresight_branches_restart(struct coresight_branches *b)
{
	branch_list_restart(&b->list, coresight_feed_position(b->feed));
}

void coresight_branches_finish(struct coresight_branches *b)
{
	branch_list_finish(&b->list);
	if (b->is_new)
		end_wait(b, b->feed->call_index);
	branch_list_commit(&b->list);
}

void coresight_branches_drop(struct coresight_branches *b)
{
	branch_list_drop(&b->list, coresight_feed_position(b->feed));
	b->group_next = UINT64_MAX;
}

/* Adds a gap before the current packet: the unit discarded trace because its
 * own buffer was full.
 */
static void add_discard_gap(struct coresight_branches *b)
{
	b->was_discarded = false;
	branch_list_add(&b->list, TRACE_GAP, branch_position(b))->count =
		FLOW_GAP_OVERFLOW;
	branch_list_commit(&b->list);
}

static bool consume_packet(struct coresight_branches *b)
{
	uint8_t kind = b->packet.kind;

	b->group_next = UINT64_MAX;
	if (b->was_discarded)
		add_discard_gap(b);
	if (b->awaits_address && !coresight_may_precede_address(kind))
		return false;
	if (b->state != CORESIGHT_BRANCHES_READ &&
	    kind != CORESIGHT_PACKET_EXTENSION &&
	    (kind != CORESIGHT_PACKET_TRACE_INFO ||
	     b->state == CORESIGHT_BRANCHES_LOST))
		return true;
	return coresight_branch_kinds[kind](b);
}

/* Consumes an atom packet. Right after another one it extends the same branch:
 * positions are then a byte apart, except in frames.
 */
static inline void consume_atoms(struct coresight_branches *b, uint64_t index,
				 uint8_t header)
{
	const struct coresight_atoms atoms = b->atoms[header];
	struct trace_branch *branch = NULL;

	if (b->needs_context)
		return;
	if (index == b->group_next)
		branch = &b->list.branches[b->list.count - 1];
	if (!branch || branch->count + atoms.count > MOST_ATOMS) {
		b->index = index;
		branch = add_branch(b, TRACE_ATOMS);
	}
	branch->payload = branch->payload << atoms.count | atoms.executed;
	branch->low = branch->low << atoms.count | UINT64_C(1)
							   << (atoms.count - 1);
	branch->count += atoms.count;
	b->group_next = UINT64_MAX;
	if (!b->feed->window.piece->is_formatted && !b->list.has_failed)
		b->group_next = index + 1;
	branch_list_commit(&b->list);
}

static bool consume_bytes(struct coresight_branches *b, const uint8_t *bytes,
			  size_t size)
{
	if (size > sizeof(b->bytes) - b->size)
		return false;
	memcpy(b->bytes + b->size, bytes, size);
	b->size += (uint8_t)size;
	return b->packet.is_open || consume_packet(b);
}

static inline bool is_quick(const struct coresight_branches *b, uint8_t byte)
{
	return byte >= CORESIGHT_PACKET_FIRST_ATOMS && !b->packet.is_open &&
	       b->state == CORESIGHT_BRANCHES_READ && !b->awaits_address;
}

size_t coresight_branches_consume(struct coresight_branches *b, uint64_t index,
				  const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t taken;

		if (is_quick(b, bytes[at])) {
			consume_atoms(b, index + at, bytes[at]);
			at++;
			continue;
		}
		if (!b->packet.is_open) {
			b->index = index + at;
			b->size = 0;
		}
		taken = coresight_packet_consume(&b->packet, bytes + at,
						 size - at);
		if (!consume_bytes(b, bytes + at, taken)) {
			b->packet.is_open = false;
			return at + taken - (at + taken == size);
		}
		at += taken;
	}
	return size;
}
