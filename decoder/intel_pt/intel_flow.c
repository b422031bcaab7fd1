/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_flow_internal.h"

#include "decoder/flow/flow.h"

#include <stdlib.h>
#include <string.h>

bool intel_branches_make_room(struct intel_branches *b, size_t more)
{
	size_t room = b->room * 2;
	struct trace_branch *larger;

	if (b->count + more + MOST_AT_ONCE <= b->room)
		return true;
	larger = realloc(b->branches, room * sizeof(*larger));
	if (!larger)
		return false;
	b->branches = larger;
	b->room = room;
	return true;
}

void intel_branches_drop_taken(struct intel_branches *b)
{
	size_t next = b->header.is_open ? b->header.position : b->at;
	size_t shift = next - b->base;

	memmove(b->branches, b->branches + b->taken,
		(b->count - b->taken) * sizeof(*b->branches));
	b->count -= b->taken;
	b->closed -= b->taken;
	b->no_high -= b->no_high < b->taken ? b->no_high : b->taken;
	if (b->overflow != NO_OVERFLOW)
		b->overflow -= b->taken;
	b->taken = 0;
	if (b->count && b->branches[0].position < shift)
		shift = b->branches[0].position;
	for (size_t i = 0; i < b->count; i++)
		b->branches[i].position -= (uint32_t)shift;
	b->base += shift;
}

/* Adds a branch whose packet has a time of its own. */
static inline struct trace_branch *
intel_branches_add_timed(struct intel_branches *b, uint8_t kind,
			 uint64_t payload, bool is_exact)
{
	struct trace_branch *branch = intel_branches_add(b, kind, payload);
	/* If no cycles were counted since the anchor, nothing ran, except for
	 * lost trace.
	 */
	bool is_fresh = b->has_fresh_cyc ||
			(b->after_anchor && kind != TRACE_OVERFLOW);

	branch->is_timed = true;
	branch->is_exact = is_exact;
	branch->has_estimate = is_exact && is_fresh;
	if (b->has_fresh_cyc)
		b->no_high = b->count;
	b->open_tnt_was_fresh = b->has_fresh_cyc;
	b->has_open_tnt = false;
	b->has_fresh_cyc = false;
	b->after_anchor = false;
	b->overflow = NO_OVERFLOW;
	return branch;
}

/* Adds the branches of a TNT, which ends after @count branches. */
static inline void intel_branches_consume_tnt(struct intel_branches *b,
					      uint64_t bits, uint8_t count)
{
	struct trace_branch *branch;

	if (!count)
		return;
	b->breaks_off = false;
	branch = intel_branches_add_timed(b, TRACE_BITS, bits,
					  intel_tnt_may_be_full(count));
	branch->count = count;
	b->has_open_tnt = true;
}

/* Returns the address in a packet; *@has_address is set if there is one. */
static uint64_t read_address(struct intel_branches *b,
			     const struct intel_packet *packet,
			     bool *has_address)
{
	*has_address = intel_address_size(packet->compression);
	return *has_address ? intel_branches_address(b, packet->compression,
						     packet->payload) :
			      0;
}

static bool is_partial(const struct intel_packet *packet)
{
	return intel_address_is_partial(packet->compression);
}

static struct trace_branch *add_timed(struct intel_branches *b, uint8_t kind,
				      const struct intel_packet *packet)
{
	bool has_address;
	uint64_t address = read_address(b, packet, &has_address);
	struct trace_branch *branch =
		intel_branches_add_timed(b, kind, address, true);

	branch->has_address = has_address;
	branch->is_partial = is_partial(packet);
	b->breaks_off = false;
	b->waiting = 0;
	return branch;
}

/* The start is probably at the time of the last anchor and the cycles since; the
 * next anchor may correct that.
 */
static void consume_start(struct intel_branches *b,
			  const struct intel_packet *packet)
{
	add_timed(b, TRACE_START, packet);
	if (b->clock.anchor + b->clock.elapsed > b->pause_at &&
	    b->enough > b->count)
		b->enough = b->count;
}

static void consume_stop(struct intel_branches *b,
			 const struct intel_packet *packet)
{
	bool is_there = b->breaks_off;
	struct trace_branch *branch =
		add_timed(b, is_there ? TRACE_STOP_THERE : TRACE_STOP, packet);

	if (is_there)
		branch->is_unsure = b->errata & INTEL_ERRATUM_SKD022;
	else
		branch->is_unsure = b->errata & INTEL_ERRATUM_SKL014 &&
				    !branch->has_address;
}

/* Reads the packet at @at, which must not be before b->at, without consuming
 * it. Returns whether there is one.
 */
static bool next_packet(struct intel_branches *b,
			struct intel_packet_context *context, size_t at,
			struct intel_packet *packet)
{
	intel_branches_see(b, at);
	return intel_packet_read_in(context, b->bytes + at, b->size - at,
				    packet) > 0;
}

/* Returns whether tracing is on after an overflow and the FUP at b->at:
 * searches for the first packet that only occurs with tracing on, or off.
 */
static bool goes_on(struct intel_branches *b)
{
	struct intel_packet_context context = { 0 };
	struct intel_packet packet;
	size_t at = b->at;

	while (next_packet(b, &context, at, &packet)) {
		bool is_fup = at > b->at && packet.kind == INTEL_PACKET_FUP;

		if (packet.kind == INTEL_PACKET_TIP_PGE ||
		    packet.kind == INTEL_PACKET_PSBEND)
			return false;
		if (is_fup || intel_packet_is_flow(&packet))
			return true;
		at += packet.size;
	}
	return true;
}

static void end_overflow(struct intel_branches *b, uint64_t address,
			 bool is_shared)
{
	struct trace_branch *overflow = &b->branches[b->overflow];

	b->overflow = NO_OVERFLOW;
	if (b->errata & INTEL_ERRATUM_APL12 && !goes_on(b))
		return;
	overflow->payload = address;
	overflow->has_address = true;
	overflow->is_partial = is_shared;
}

/* Adds a TRACE_REACH of @address, and the events that waited for the address.
 */
static void add_reach(struct intel_branches *b, uint64_t address,
		      bool is_shared)
{
	struct trace_branch *branch =
		intel_branches_add(b, TRACE_REACH, address);
	bool is_aborted = b->waiting & WAITING_TRANSACTION &&
			  !(b->waiting & WAITING_BOUND);

	branch->has_address = true;
	branch->is_partial = is_shared;
	branch->is_unsure = is_aborted && b->errata & INTEL_ERRATUM_BDM64;
	branch->is_bound = b->waiting & WAITING_BOUND;
	b->breaks_off = !branch->is_bound;
	if (b->waiting & WAITING_TRANSACTION)
		intel_branches_add(b, TRACE_TRANSACTION, b->transaction);
	if (b->waiting & WAITING_PTWRITE)
		intel_branches_add(b, TRACE_PTWRITE, b->ptwrite);
	b->waiting = 0;
}

static void consume_fup(struct intel_branches *b,
			const struct intel_packet *packet)
{
	bool has_address;
	uint64_t address = read_address(b, packet, &has_address);

	if (!has_address) {
		b->waiting = 0;
	} else if (b->header.is_open) {
		b->header.has_address = true;
		b->header.address = address;
	} else if (b->overflow != NO_OVERFLOW) {
		end_overflow(b, address, is_partial(packet));
	} else {
		add_reach(b, address, is_partial(packet));
	}
}

/* Consumes MODE.Exec or MODE.TSX; the leaf is in the upper 3 bits. While
 * tracing is on, a MODE.Exec belongs to the following TIP or FUP; an abort has
 * an address of its own.
 */
static void consume_mode(struct intel_branches *b, uint8_t payload)
{
	bool has_begun = payload & 1;
	bool is_aborted = payload & 2;

	if (payload >> 5 == 0) {
		intel_branches_add(b, TRACE_MODE,
				   payload & 1 ? 2 : payload >> 1 & 1);
		if (!b->header.is_open)
			b->waiting |= WAITING_BOUND;
	} else if (payload >> 5 == 1 && !b->header.is_open) {
		b->waiting |= WAITING_TRANSACTION;
		if (!is_aborted)
			b->waiting |= WAITING_BOUND;
		b->transaction = is_aborted ? 3 : has_begun ? 1 : 2;
	}
}

static void consume_ptwrite(struct intel_branches *b,
			    const struct intel_packet *packet)
{
	if (!packet->is_followed) {
		intel_branches_add(b, TRACE_PTWRITE, packet->payload);
		return;
	}
	b->waiting |= WAITING_BOUND | WAITING_PTWRITE;
	b->ptwrite = packet->payload;
}

/* Consumes a PIP. Its bit 0 is NR: VMX non-root operation, the code of a
 * virtual machine (Intel SDM, volume 3, "Paging Information Packet").
 */
static void consume_page_table(struct intel_branches *b, uint64_t payload)
{
	bool is_guest = payload & 1;
	struct trace_branch *branch = intel_branches_add(
		b, is_guest ? TRACE_GUEST : TRACE_ADDRESS_SPACE,
		payload >> 1 << 5);

	branch->is_bound = b->header.is_open || b->breaks_off;
	branch->count = b->header.is_open;
}

static void forget(struct intel_branches *b)
{
	b->breaks_off = false;
	b->waiting = 0;
	b->overflow = NO_OVERFLOW;
	b->header = (struct header){ 0 };
}

static void consume_psb(struct intel_branches *b)
{
	forget(b);
	b->last_ip = 0;
	b->header.is_open = true;
	b->header.position = b->at;
}

/* Returns whether tracing starts after the PSBEND at b->at. */
static bool starts_behind(struct intel_branches *b)
{
	struct intel_packet_context context = { 0 };
	struct intel_packet packet;

	for (size_t at = b->at + 2; next_packet(b, &context, at, &packet);
	     at += packet.size)
		switch (packet.kind) {
		case INTEL_PACKET_TIP_PGE:
			return true;
		case INTEL_PACKET_PAD:
		case INTEL_PACKET_TSC:
		case INTEL_PACKET_TMA:
		case INTEL_PACKET_MTC:
		case INTEL_PACKET_CYC:
		case INTEL_PACKET_CBR:
		case INTEL_PACKET_PSBEND:
		case INTEL_PACKET_PIP:
		case INTEL_PACKET_MODE:
		case INTEL_PACKET_VMCS:
		case INTEL_PACKET_MNT:
			break;
		default:
			return false;
		}
	return false;
}

static void consume_psbend(struct intel_branches *b)
{
	struct trace_branch *branch;

	if (b->header.is_open) {
		branch = intel_branches_add(b, TRACE_SYNC, b->header.address);
		branch->has_address = b->header.has_address;
		branch->is_bound = b->header.has_time;
		if (b->errata & INTEL_ERRATUM_BDM70 && starts_behind(b))
			branch->has_address = false;
	}
	b->header = (struct header){ 0 };
}

static void consume_overflow(struct intel_branches *b)
{
	forget(b);
	intel_branches_add_timed(b, TRACE_OVERFLOW, 0, true);
	b->overflow = b->count - 1;
}

/* Ends the wait for the address after an overflow at any packet that shows that
 * tracing is off.
 */
static void check_overflow(struct intel_branches *b,
			   const struct intel_packet *packet)
{
	if (packet->kind != INTEL_PACKET_FUP &&
	    packet->kind != INTEL_PACKET_PAD &&
	    packet->kind != INTEL_PACKET_MNT &&
	    packet->kind != INTEL_PACKET_TMA &&
	    packet->kind != INTEL_PACKET_CBR)
		b->overflow = NO_OVERFLOW;
}

/* Consumes @packet, which is neither a time packet nor a TNT of one byte. */
static void consume_flow(struct intel_branches *b,
			 const struct intel_packet *packet)
{
	check_overflow(b, packet);
	switch (packet->kind) {
	case INTEL_PACKET_TNT:
		intel_branches_consume_tnt(b, packet->payload, packet->bits);
		break;
	case INTEL_PACKET_TIP:
		add_timed(b, b->breaks_off ? TRACE_INTERRUPT : TRACE_TARGET,
			  packet);
		break;
	case INTEL_PACKET_TIP_PGE:
		consume_start(b, packet);
		break;
	case INTEL_PACKET_TIP_PGD:
		consume_stop(b, packet);
		break;
	case INTEL_PACKET_FUP:
		consume_fup(b, packet);
		break;
	case INTEL_PACKET_PSB:
		consume_psb(b);
		break;
	case INTEL_PACKET_PSBEND:
		consume_psbend(b);
		break;
	case INTEL_PACKET_OVF:
		consume_overflow(b);
		break;
	case INTEL_PACKET_MODE:
		consume_mode(b, (uint8_t)packet->payload);
		break;
	case INTEL_PACKET_PIP:
		consume_page_table(b, packet->payload);
		break;
	case INTEL_PACKET_VMCS:
		intel_branches_add(b, TRACE_MACHINE, packet->payload << 12);
		break;
	case INTEL_PACKET_PTW:
		consume_ptwrite(b, packet);
		break;
	default:
		if (packet->is_followed)
			b->waiting |= WAITING_BOUND;
		break;
	}
}

/* Sets the time of an open TNT. If a packet follows without a cycle in between,
 * it caused the TNT to be written, at its own time. Packets before an OVF are
 * lost, so an OVF shows nothing.
 */
static void close_open_tnt(struct intel_branches *b, uint8_t next)
{
	struct trace_branch *branch;

	if (!b->has_open_tnt || next == INTEL_PACKET_PAD)
		return;
	b->has_open_tnt = false;
	if (next == INTEL_PACKET_TNT || next == INTEL_PACKET_CYC ||
	    next == INTEL_PACKET_OVF)
		return;
	branch = &b->branches[b->count - 1];
	branch->is_exact = false;
	branch->has_estimate = false;
	b->has_fresh_cyc |= b->open_tnt_was_fresh;
}

static inline void count_cycles(struct intel_branches *b, uint64_t cycles)
{
	b->has_open_tnt = false;
	intel_clock_consume_cycles(&b->clock, cycles);
	intel_branches_set_highs(b);
	b->has_fresh_cyc = true;
}

void intel_branches_consume(struct intel_branches *b,
			    const struct intel_packet *packet)
{
	uint64_t anchor;

	if (packet->kind == INTEL_PACKET_CYC) {
		count_cycles(b, packet->payload);
		return;
	}
	close_open_tnt(b, packet->kind);
	if (intel_clock_consume(&b->clock, packet, &anchor))
		set_anchor(b, anchor, packet->kind == INTEL_PACKET_MTC);
	else
		consume_flow(b, packet);
}

/* Returns whether the last branch is a gap because of damage. */
static bool is_in_damage(const struct intel_branches *b)
{
	const struct trace_branch *end = b->branches + b->count;

	return b->count && end[-1].kind == TRACE_GAP &&
	       end[-1].count == FLOW_GAP_BAD_TRACE;
}

void intel_branches_skip_damage(struct intel_branches *b)
{
	b->has_open_tnt = false;
	if (!is_in_damage(b))
		intel_branches_add(b, TRACE_GAP, 0)->count = FLOW_GAP_BAD_TRACE;
	forget(b);
	b->at = intel_psb_reach(b->bytes, b->size, b->at + 1, b->reach,
				b->reach_ctx);
}
