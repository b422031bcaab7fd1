/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "decoder/intel_pt/branch_window.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 8192,
	/* As many are handed out at once, if there are. */
	BATCH = 2048,
	/* Without any time packet for so many their bounds are given up. */
	OPEN_LIMIT = 1 << 18,
	/* More that have none wait for none: a trace without branches. */
	MOST_UNTIMED = 1 << 12,
	/* What one packet adds at most. */
	MOST_AT_ONCE = 4,
};

/* No overflow waits to be told where execution goes on. */
#define NO_OVERFLOW SIZE_MAX

/* What the next FUP packet tells the place of. */
enum fup_owner {
	FUP_OF_BRANCH,		/* an interrupt, exception or stop: a TIP or
				 * TIP.PGD follows */
	FUP_OF_EVENT,		/* CFE: the same, or nothing follows */
	FUP_OF_TRANSACTION,
	FUP_OF_ABORT,
	FUP_OF_PTWRITE,
	FUP_OF_OTHER,		/* power and PEBS packets */
};

/* Between PSB and PSBEND: the state that a synchronisation point repeats. */
struct header {
	bool is_open;
	bool has_address;
	uint64_t address;
	size_t position;	/* of the PSB */
};

/* While a branch waits for the next anchor, low and high are what CYC says has
 * elapsed since the anchor before, at the CYC before and after the branch.
 */
struct intel_branches {
	const uint8_t *bytes;
	size_t size;
	size_t at;		/* the next packet */
	struct intel_clock clock;
	struct header header;
	uint64_t last_ip;	/* addresses are compressed against it */
	uint8_t fup_owner;	/* enum fup_owner */
	uint64_t owner_payload;
	bool breaks_off;	/* a FUP of FUP_OF_BRANCH came: the next TIP is
				 * an interrupt's */

	struct trace_branch *branches;
	size_t room;
	size_t count;
	size_t closed;		/* bounds are final before this one */
	size_t no_high;		/* from here on no CYC came after */
	size_t taken;		/* handed out by the last call */
	size_t overflow;	/* waits for its FUP, or NO_OVERFLOW */
	uint64_t base;		/* what positions are counted from */
	bool has_fresh_cyc;	/* it belongs to the packet that follows */
	bool has_open_tnt;	/* the last packet is one, the last branch it */
	bool open_tnt_was_fresh;
	bool after_anchor;	/* no branch came since */
	bool at_end;
};

struct intel_branches *intel_branches_new(const uint8_t *bytes, size_t size,
					  size_t from,
					  const struct intel_clock_setup *setup)
{
	struct intel_branches *branches = calloc(1, sizeof(*branches));

	if (!branches)
		return NULL;
	branches->bytes = bytes;
	branches->size = size;
	branches->at = intel_packet_find_psb(bytes, size, from);
	branches->base = branches->at;
	branches->clock = intel_clock_of(setup);
	branches->overflow = NO_OVERFLOW;
	branches->room = FIRST_ROOM;
	branches->branches = malloc(FIRST_ROOM * sizeof(*branches->branches));
	if (!branches->branches) {
		free(branches);
		return NULL;
	}
	return branches;
}

void intel_branches_free(struct intel_branches *branches)
{
	if (!branches)
		return;
	free(branches->branches);
	free(branches);
}

static void set_highs(struct intel_branches *b)
{
	for (; b->no_high < b->count; b->no_high++)
		b->branches[b->no_high].high = b->clock.elapsed;
}

static void close_window(struct intel_branches *b, uint64_t next)
{
	set_highs(b);
	if (b->count > b->closed)
		branch_window_close(b->branches + b->closed,
				    b->count - b->closed, &b->clock, next);
	b->closed = b->count;
}

/* OVF is written when the unit goes on, with a TSC: what it lost before had
 * taken time that no CYC tells.
 */
static void end_loss(struct intel_branches *b, size_t closed)
{
	struct trace_branch *last;

	if (b->closed == closed)
		return;
	last = &b->branches[b->closed - 1];
	if (last->kind != TRACE_OVERFLOW)
		return;
	last->estimate = last->high;
	last->has_estimate = true;
}

static void delay(struct intel_branches *b, size_t from, uint64_t delay)
{
	for (size_t i = from; i < b->closed; i++)
		b->branches[i].high += delay;
}

/* An MTC is written some time after the count that it tells; what was written
 * before it may be as much younger.
 */
static void take_anchor(struct intel_branches *b, uint64_t anchor, bool is_mtc)
{
	size_t closed = b->closed;

	close_window(b, anchor);
	if (!is_mtc)
		end_loss(b, closed);
	if (is_mtc)
		delay(b, closed, intel_clock_mtc_delay(&b->clock));
	intel_clock_set_anchor(&b->clock, anchor);
	b->has_fresh_cyc = false;
	b->after_anchor = true;
}

/* A TNT is written when it is full, or when the packet that follows needs it
 * out of the way; only in the first case did its last branch run just then.
 * Some implementations fill packets of 6 bits, some of 47.
 */
static bool may_be_full(uint8_t bits)
{
	return bits == 6 || bits == 47;
}

/* A packet that follows with no cycle between is why the TNT was written: its
 * time is that packet's.  What followed before an OVF is lost.
 */
static void close_tnt(struct intel_branches *b, uint8_t next)
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

/* What a PSB repeats has the PSB's position.  There is room: see make_room(). */
static inline struct trace_branch *add(struct intel_branches *b, uint8_t kind,
				       uint64_t payload)
{
	struct trace_branch *branch = &b->branches[b->count++];
	size_t at = b->header.is_open ? b->header.position : b->at;

	*branch = (struct trace_branch){
		.payload = payload,
		.low = b->clock.elapsed,
		.high = b->clock.elapsed,
		.estimate = b->clock.elapsed,
		.position = (uint32_t)(at - b->base),
		.kind = kind,
	};
	return branch;
}

/* Adds one whose packet has a time of its own. */
static inline struct trace_branch *add_timed(struct intel_branches *b,
					     uint8_t kind, uint64_t payload,
					     bool is_exact)
{
	struct trace_branch *branch = add(b, kind, payload);
	/* Where nothing was counted since the anchor, nothing ran, but for
	 * what was lost.
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

static inline void take_tnt(struct intel_branches *b, uint64_t bits,
			    uint8_t count)
{
	if (!count)
		return;
	b->breaks_off = false;
	add_timed(b, TRACE_BITS, bits, may_be_full(count))->count = count;
	b->has_open_tnt = true;
}

/* The address of a packet with one; *@has_address: it was not left out. */
static uint64_t take_address(struct intel_branches *b,
			     const struct intel_packet *packet,
			     bool *has_address)
{
	uint64_t payload = packet->payload;

	*has_address = true;
	switch (packet->compression) {
	case 1:
		b->last_ip = (b->last_ip & ~(uint64_t)0xffff) | payload;
		break;
	case 2:
		b->last_ip = (b->last_ip & ~(uint64_t)0xffffffff) | payload;
		break;
	case 3:
		b->last_ip = (uint64_t)((int64_t)(payload << 16) >> 16);
		break;
	case 4:
		b->last_ip = (b->last_ip & (uint64_t)0xffff << 48) | payload;
		break;
	case 6:
		b->last_ip = payload;
		break;
	default:
		*has_address = false;
		return 0;
	}
	return b->last_ip;
}

static void take_timed_address(struct intel_branches *b, uint8_t kind,
			       const struct intel_packet *packet)
{
	bool has_address;
	uint64_t address = take_address(b, packet, &has_address);

	add_timed(b, kind, address, true)->has_address = has_address;
	b->breaks_off = false;
	b->fup_owner = FUP_OF_BRANCH;
}

/* Where execution is as what comes before or behind it happens. */
static void take_fup(struct intel_branches *b,
		     const struct intel_packet *packet)
{
	uint8_t owner = b->fup_owner;
	bool has_address;
	uint64_t address = take_address(b, packet, &has_address);

	b->fup_owner = FUP_OF_BRANCH;
	if (!has_address)
		return;
	if (b->header.is_open) {
		b->header.has_address = true;
		b->header.address = address;
		return;
	}
	if (b->overflow != NO_OVERFLOW) {
		b->branches[b->overflow].payload = address;
		b->branches[b->overflow].has_address = true;
		b->overflow = NO_OVERFLOW;
		return;
	}
	add(b, TRACE_REACH, address)->has_address = true;
	b->breaks_off = owner == FUP_OF_BRANCH || owner == FUP_OF_EVENT ||
			owner == FUP_OF_ABORT;
	if (owner == FUP_OF_TRANSACTION || owner == FUP_OF_ABORT)
		add(b, TRACE_TRANSACTION, b->owner_payload);
	if (owner == FUP_OF_PTWRITE)
		add(b, TRACE_PTWRITE, b->owner_payload);
}

/* MODE.Exec and MODE.TSX: the leaf is in the upper 3 bits. */
static void take_mode(struct intel_branches *b, uint8_t payload)
{
	bool has_begun = payload & 1;
	bool is_aborted = payload & 2;

	if (payload >> 5 == 0) {
		add(b, TRACE_MODE, payload & 1 ? 2 : payload >> 1 & 1);
	} else if (payload >> 5 == 1 && !b->header.is_open) {
		b->fup_owner = is_aborted ? FUP_OF_ABORT : FUP_OF_TRANSACTION;
		b->owner_payload = is_aborted ? 3 : has_begun ? 1 : 2;
	}
}

static void take_ptwrite(struct intel_branches *b,
			 const struct intel_packet *packet)
{
	if (!packet->is_followed) {
		add(b, TRACE_PTWRITE, packet->payload);
		return;
	}
	b->fup_owner = FUP_OF_PTWRITE;
	b->owner_payload = packet->payload;
}

/* Who waited for a FUP or TIP waits in vain. */
static void forget(struct intel_branches *b)
{
	b->breaks_off = false;
	b->fup_owner = FUP_OF_BRANCH;
	b->overflow = NO_OVERFLOW;
	b->header = (struct header){ 0 };
}

static void take_psb(struct intel_branches *b)
{
	forget(b);
	b->last_ip = 0;
	b->header.is_open = true;
	b->header.position = b->at;
}

static void take_psbend(struct intel_branches *b)
{
	struct trace_branch *sync;

	if (!b->header.is_open)
		return;
	sync = add(b, TRACE_SYNC, b->header.address);
	sync->has_address = b->header.has_address;
	b->header = (struct header){ 0 };
}

static void take_overflow(struct intel_branches *b)
{
	forget(b);
	add_timed(b, TRACE_OVERFLOW, 0, true);
	b->overflow = b->count - 1;
}

static void take_other(struct intel_branches *b,
		       const struct intel_packet *packet)
{
	if (packet->is_followed)
		b->fup_owner = packet->kind == INTEL_PACKET_CFE ? FUP_OF_EVENT :
								  FUP_OF_OTHER;
}

static void take_flow(struct intel_branches *b,
		      const struct intel_packet *packet)
{
	switch ((enum intel_packet_kind)packet->kind) {
	case INTEL_PACKET_TNT:
		take_tnt(b, packet->payload, packet->bits);
		break;
	case INTEL_PACKET_TIP:
		take_timed_address(b, b->breaks_off ? TRACE_INTERRUPT :
						      TRACE_TARGET, packet);
		break;
	case INTEL_PACKET_TIP_PGE:
		take_timed_address(b, TRACE_START, packet);
		break;
	case INTEL_PACKET_TIP_PGD:
		take_timed_address(b, b->breaks_off ? TRACE_STOP_THERE :
						      TRACE_STOP, packet);
		break;
	case INTEL_PACKET_FUP:
		take_fup(b, packet);
		break;
	case INTEL_PACKET_PSB:
		take_psb(b);
		break;
	case INTEL_PACKET_PSBEND:
		take_psbend(b);
		break;
	case INTEL_PACKET_OVF:
		take_overflow(b);
		break;
	case INTEL_PACKET_MODE:
		take_mode(b, (uint8_t)packet->payload);
		break;
	case INTEL_PACKET_PIP:
		add(b, TRACE_ADDRESS_SPACE, packet->payload >> 1 << 5);
		break;
	case INTEL_PACKET_PTW:
		take_ptwrite(b, packet);
		break;
	case INTEL_PACKET_CFE:
	case INTEL_PACKET_OTHER:
		take_other(b, packet);
		break;
	case INTEL_PACKET_PAD:
	case INTEL_PACKET_TSC:
	case INTEL_PACKET_TMA:
	case INTEL_PACKET_MTC:
	case INTEL_PACKET_CYC:
	case INTEL_PACKET_CBR:
		break;
	}
}

static inline void take_cyc(struct intel_branches *b, uint64_t cycles)
{
	b->has_open_tnt = false;
	intel_clock_take_cycles(&b->clock, cycles);
	set_highs(b);
	b->has_fresh_cyc = true;
}

static void take_packet(struct intel_branches *b,
			const struct intel_packet *packet)
{
	uint64_t anchor;

	if (packet->kind == INTEL_PACKET_CYC) {
		take_cyc(b, packet->payload);
		return;
	}
	close_tnt(b, packet->kind);
	if (intel_clock_take(&b->clock, packet, &anchor))
		take_anchor(b, anchor, packet->kind == INTEL_PACKET_MTC);
	else
		take_flow(b, packet);
}

/* Cycle counts and short TNTs are what nearly all of a trace is made of.
 * Returns their size, or 0: it is another packet.
 */
static inline size_t take_usual(struct intel_branches *b, const uint8_t *bytes)
{
	uint8_t first = bytes[0];

	if ((first & 7) == 3) {
		take_cyc(b, first >> 3);
		return 1;
	}
	if ((first & 7) == 7 && !(bytes[1] & 1)) {
		take_cyc(b, (uint64_t)(bytes[1] >> 1) << 5 | first >> 3);
		return 2;
	}
	if (!(first & 1) && first > 2) {
		uint8_t raw = first >> 1;
		unsigned int stop = 31 - (unsigned int)__builtin_clz(raw);

		take_tnt(b, raw ^ 1u << stop, (uint8_t)stop);
		return 1;
	}
	return 0;
}

static bool make_room(struct intel_branches *b)
{
	size_t room = b->room * 2;
	struct trace_branch *larger;

	if (b->count + MOST_AT_ONCE <= b->room)
		return true;
	larger = realloc(b->branches, room * sizeof(*larger));
	if (!larger)
		return false;
	b->branches = larger;
	b->room = room;
	return true;
}

/* What follows up to the next PSB is no packet. */
static void take_damage(struct intel_branches *b)
{
	forget(b);
	b->has_open_tnt = false;
	add(b, TRACE_GAP, 0)->count = FLOW_GAP_BAD_TRACE;
	b->at = intel_packet_find_psb(b->bytes, b->size, b->at + 1);
}

/* Reads packets.  Returns 1, 0 at the end, -ERROR_MEMORY. */
static int read_on(struct intel_branches *b)
{
	for (int i = 0; i < BATCH; i++) {
		struct intel_packet packet;
		size_t left = b->size - b->at;
		size_t size = 0;
		int status;

		if (!make_room(b))
			return -ERROR_MEMORY;
		if (left >= 2)
			size = take_usual(b, b->bytes + b->at);
		if (size) {
			b->at += size;
			continue;
		}
		status = intel_packet_read(b->bytes + b->at, left, &packet);
		if (!status)
			return 0;
		if (status < 0) {
			take_damage(b);
			continue;
		}
		take_packet(b, &packet);
		b->at += packet.size;
	}
	return 1;
}

/* What was handed out goes, what waits moves to the front. */
static void drop_taken(struct intel_branches *b)
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

/* How many may be handed out: an overflow must know where it goes on, and what
 * has no time of its own comes with what has.
 */
static size_t ready_count(const struct intel_branches *b)
{
	size_t count = b->closed;

	if (b->at_end)
		return count;
	if (b->overflow < count)
		count = b->overflow;
	for (size_t i = count; count - i < MOST_UNTIMED; i--)
		if (!i || b->branches[i - 1].is_timed)
			return i;
	return count;
}

/* Reads until some are ready, or the end. */
static int fill(struct intel_branches *b)
{
	while (!b->at_end && ready_count(b) < BATCH) {
		int status = read_on(b);

		if (status < 0)
			return status;
		b->at_end = !status;
		if (b->at_end || b->count - b->closed > OPEN_LIMIT) {
			b->has_open_tnt = false;
			close_window(b, UINT64_MAX);
		}
	}
	return 0;
}

uint64_t intel_branches_first_high(struct intel_branches *b)
{
	if (fill(b) < 0)
		return UINT64_MAX;
	for (size_t i = b->taken; i < ready_count(b); i++)
		if (b->branches[i].is_timed)
			return b->branches[i].high;
	return UINT64_MAX;
}

int intel_branches_next(struct intel_branches *b,
			struct trace_branch_batch *batch)
{
	int status;

	drop_taken(b);
	status = fill(b);
	if (status < 0)
		return status;
	b->taken = ready_count(b);
	*batch = (struct trace_branch_batch){
		.branches = b->branches,
		.count = (uint32_t)b->taken,
		.position = b->base,
	};
	return b->taken != 0;
}
