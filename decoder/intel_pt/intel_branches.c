/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches_internal.h"

#include "common/error.h"
#include "decoder/flow/flow.h"
#include "decoder/intel_pt/branch_window.h"
#include "decoder/intel_pt/intel_flow_internal.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of bytes consumed at once, each of which adds at most one branch.
 * Reading ahead (INTEL_REACH_BYTES) must reach further.
 */
enum { INTEL_RUN_BYTES = 512 };

enum {
	LONGEST_TIP = 9,
	TIP_OPCODE = 0x0d,
	MTC_OPCODE = 0x59,
	MTC_SIZE = 2,
};

/* The fields of struct intel_branches that change with each packet. */
struct run {
	const uint8_t *at;
	const uint8_t *origin;	      /* base of positions */
	struct trace_branch *next;    /* slot for the next branch */
	struct trace_branch *no_high; /* first branch without a later CYC */
	uint64_t cycles;	      /* the clock's fields, as */
	uint64_t elapsed;
	bool has_fresh_cyc;
	bool has_open_tnt;
	bool open_tnt_was_fresh;
	bool after_anchor;
};

static struct run run_of(const struct intel_branches *b)
{
	return (struct run){
		.at = b->bytes + b->at,
		.origin = b->bytes + b->base,
		.next = b->branches + b->count,
		.no_high = b->branches + b->no_high,
		.cycles = b->clock.cycles,
		.elapsed = b->clock.elapsed,
		.has_fresh_cyc = b->has_fresh_cyc,
		.has_open_tnt = b->has_open_tnt,
		.open_tnt_was_fresh = b->open_tnt_was_fresh,
		.after_anchor = b->after_anchor,
	};
}

static void end_run(struct intel_branches *b, const struct run *run)
{
	b->at = (size_t)(run->at - b->bytes);
	b->count = (size_t)(run->next - b->branches);
	b->no_high = (size_t)(run->no_high - b->branches);
	b->clock.cycles = run->cycles;
	b->clock.elapsed = run->elapsed;
	b->has_fresh_cyc = run->has_fresh_cyc;
	b->has_open_tnt = run->has_open_tnt;
	b->open_tnt_was_fresh = run->open_tnt_was_fresh;
	b->after_anchor = run->after_anchor;
}

/* Returns whether @bytes are a CYC that an OVF, 02 f3, overwrote except for its
 * first byte (SKD007).
 */
static inline bool is_overwritten(const struct intel_branches *b,
				  const uint8_t *bytes)
{
	return bytes[1] == 2 && b->errata & INTEL_ERRATUM_SKD007 &&
	       b->bytes + b->size - bytes > 2 && bytes[2] == 0xf3;
}

static inline void consume_cycles(const struct intel_branches *b,
				  struct run *run, uint64_t cycles)
{
	run->has_open_tnt = false;
	run->has_fresh_cyc = true;
	run->cycles += cycles;
	run->elapsed += intel_clock_ticks(&b->clock, cycles);
	for (; run->no_high < run->next; run->no_high++)
		run->no_high->high = run->elapsed;
}

/* Adds a branch whose packet has a time of its own. Like
 * intel_branches_add_timed().
 */
static inline struct trace_branch *add(struct run *run, uint8_t kind,
				       uint64_t payload, bool is_exact)
{
	struct trace_branch *branch = run->next++;

	*branch = (struct trace_branch){
		.payload = payload,
		.low = run->elapsed,
		.high = run->elapsed,
		.estimate = run->elapsed,
		.position = (uint32_t)(run->at - run->origin),
		.kind = kind,
		.is_timed = true,
		.is_exact = is_exact,
		.has_estimate = is_exact &
				(run->has_fresh_cyc | run->after_anchor),
	};
	if (run->has_fresh_cyc)
		run->no_high = run->next;
	run->open_tnt_was_fresh = run->has_fresh_cyc;
	run->has_fresh_cyc = false;
	run->after_anchor = false;
	return branch;
}

static inline void consume_tnt(struct intel_branches *b, struct run *run,
			       uint8_t raw)
{
	unsigned int count = 31 - (unsigned int)__builtin_clz(raw);

	b->breaks_off = false;
	add(run, TRACE_BITS, raw ^ 1u << count,
	    intel_tnt_may_be_full((uint8_t)count))
		->count = (uint8_t)count;
	run->has_open_tnt = true;
}

/* Sets the time of an open TNT: the current packet caused it to be written, at
 * the same time.
 */
static inline void close_tnt(struct run *run)
{
	struct trace_branch *branch = run->next - 1;

	if (!run->has_open_tnt)
		return;
	run->has_open_tnt = false;
	branch->is_exact = false;
	branch->has_estimate = false;
	run->has_fresh_cyc |= run->open_tnt_was_fresh;
}

/* Returns the size of the TIP at @run->at. */
static inline size_t consume_tip(struct intel_branches *b, struct run *run,
				 uint8_t compression)
{
	size_t size = intel_address_size(compression);
	struct trace_branch *branch;
	uint64_t payload;

	memcpy(&payload, run->at + 1, sizeof(payload));
	if (size < sizeof(payload))
		payload &= ((uint64_t)1 << 8 * size) - 1;
	close_tnt(run);
	branch = add(run, TRACE_TARGET,
		     intel_branches_address(b, compression, payload), true);
	branch->has_address = true;
	branch->is_partial = intel_address_is_partial(compression);
	return 1 + size;
}

/* Returns whether a TIP is at @bytes, and nothing but a branch. */
static inline bool is_plain_tip(const struct intel_branches *b,
				const uint8_t *bytes)
{
	return (bytes[0] & 0x1f) == TIP_OPCODE &&
	       intel_address_size(bytes[0] >> 5) && !b->breaks_off &&
	       !b->waiting && b->bytes + b->size - bytes >= LONGEST_TIP;
}

/* Consumes an MTC. The times between its anchor and the previous one become
 * final.
 */
static inline void consume_mtc(struct intel_branches *b, struct run *run,
			       uint8_t payload)
{
	uint64_t anchor;

	close_tnt(run);
	if (!intel_clock_consume_mtc(&b->clock, payload, &anchor)) {
		b->overflow = NO_OVERFLOW;
		return;
	}
	end_run(b, run);
	set_anchor(b, anchor, true);
	*run = run_of(b);
}

/* Returns the size of the CYC at @run->at, or 0 if it is another packet. */
static inline size_t consume_cyc(const struct intel_branches *b,
				 struct run *run)
{
	const uint8_t *bytes = run->at;
	uint8_t first = bytes[0];

	if ((first & 7) == 3) {
		consume_cycles(b, run, first >> 3);
		return 1;
	}
	if ((first & 7) != 7 || bytes[1] & 1)
		return 0;
	if (__builtin_expect(is_overwritten(b, bytes), 0))
		return 1;
	consume_cycles(b, run, (uint64_t)(bytes[1] >> 1) << 5 | first >> 3);
	return 2;
}

/* Returns the size of the packet at @run->at, or 0 if it cannot be in a run. */
static inline size_t consume_other(struct intel_branches *b, struct run *run)
{
	const uint8_t *bytes = run->at;
	uint8_t first = bytes[0];

	if (!(first & 1) && first > 2) {
		consume_tnt(b, run, first >> 1);
		return 1;
	}
	if (is_plain_tip(b, bytes))
		return consume_tip(b, run, first >> 5);
	if (first == MTC_OPCODE) {
		consume_mtc(b, run, bytes[1]);
		return MTC_SIZE;
	}
	return 0;
}

/* Sets the position of branches from @first on, which repeat state, to that of
 * their PSB.
 */
static void set_positions(const struct intel_branches *b, size_t first)
{
	for (size_t i = first; i < b->count; i++)
		b->branches[i].position =
			(uint32_t)(b->header.position - b->base);
}

/* Consumes a run of the most frequent packets: cycle counts of one and two
 * bytes, short TNTs, TIPs with an address and MTCs, up to another packet or
 * INTEL_RUN_BYTES. There must be room for INTEL_RUN_BYTES branches. Keeps the
 * state between packets in registers.
 *
 * Has the same effect as intel_branches_consume_flow() and the clock for each
 * packet. Must only be called outside blocks of items (struct
 * intel_packet_context).
 */
static void intel_run_take(struct intel_branches *b)
{
	struct run run = run_of(b);
	size_t first = b->count;
	size_t left = b->size - b->at;
	const uint8_t *end;
	size_t cyc = 0;
	size_t other = 1;

	if (left > INTEL_RUN_BYTES)
		left = INTEL_RUN_BYTES;
	/* The last byte is not the first of two. */
	end = run.at + left - (left > 0);
	/* Nearly every packet follows the CYC with its time. */
	while (cyc + other && run.at < end) {
		cyc = consume_cyc(b, &run);
		run.at += cyc;
		if (run.at >= end)
			break;
		other = consume_other(b, &run);
		run.at += other;
	}
	end_run(b, &run);
	if (b->count > first)
		b->overflow = NO_OVERFLOW;
	if (b->header.is_open)
		set_positions(b, first);
}

enum {
	FIRST_ROOM = 8192,
	/* Number of branches provided at once, if available. */
	BATCH = 2048,
	/* Number of runs, and packets between them, before the loop checks
	 * again.
	 */
	RUNS = 8,
	/* Maximum number of branches that wait for a packet with a time; more
	 * are provided without an upper bound.
	 */
	OPEN_LIMIT = 1 << 18,
	/* A branch without a time of its own waits for one that has a time; if
	 * more than this wait, the trace has no such branches.
	 */
	MOST_UNTIMED = 1 << 12,
};

/* Returns the initial room for branches. There are rarely more branches than
 * bytes; otherwise make_room() enlarges it.
 */
static size_t first_room(size_t bytes)
{
	return bytes < FIRST_ROOM / 2 ? bytes + FIRST_ROOM / 8 : FIRST_ROOM;
}

struct intel_branches *intel_branches_new(const uint8_t *bytes, size_t size,
					  size_t from,
					  const struct intel_setup *setup)
{
	struct intel_branches *branches = calloc(1, sizeof(*branches));

	if (!branches)
		return NULL;
	branches->bytes = bytes;
	branches->size = size;
	branches->at = from;
	branches->base = from;
	branches->clock = intel_clock_of(&setup->clock);
	branches->errata = setup->errata;
	branches->overflow = NO_OVERFLOW;
	branches->room = first_room(size - from);
	branches->branches =
		malloc(branches->room * sizeof(*branches->branches));
	if (!branches->branches) {
		free(branches);
		return NULL;
	}
	return branches;
}

void intel_branches_set_reach(struct intel_branches *b,
			      intel_psb_reach_bytes *reach, void *ctx)
{
	b->reach = reach;
	b->reach_ctx = ctx;
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

static void close_window(struct intel_branches *b, uint64_t next,
			 uint64_t delay)
{
	set_highs(b);
	if (b->count > b->closed)
		branch_window_close(b->branches + b->closed,
				    b->count - b->closed, &b->clock, next,
				    delay);
	b->closed = b->count;
}

/* Sets the time of an overflow. OVF is written when the unit resumes, with a
 * TSC: the lost trace before it took time that no CYC contains.
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

void set_anchor(struct intel_branches *b, uint64_t anchor, bool is_mtc)
{
	uint64_t delay = is_mtc ? b->clock.mtc_delay : 0;
	size_t closed = b->closed;

	close_window(b, anchor, delay);
	if (!is_mtc)
		end_loss(b, closed);
	b->header.has_time |= b->header.is_open && !is_mtc;
	branch_window_pass(b->branches + closed, b->closed - closed, delay,
			   &b->last_high);
	intel_clock_set_anchor(&b->clock, anchor);
	b->has_fresh_cyc = false;
	b->after_anchor = true;
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
	set_highs(b);
	b->has_fresh_cyc = true;
}

static void consume_packet(struct intel_branches *b,
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
		intel_branches_consume_flow(b, packet);
}

/* Makes room for a run, and a packet after it. */
static bool make_room(struct intel_branches *b)
{
	size_t room = b->room * 2;
	struct trace_branch *larger;

	if (b->count + INTEL_RUN_BYTES + MOST_AT_ONCE <= b->room)
		return true;
	larger = realloc(b->branches, room * sizeof(*larger));
	if (!larger)
		return false;
	b->branches = larger;
	b->room = room;
	return true;
}

/* Skips the bytes up to the next PSB, which are invalid, and adds a gap. */
static void consume_damage(struct intel_branches *b)
{
	intel_branches_forget(b);
	b->has_open_tnt = false;
	intel_branches_add(b, TRACE_GAP, 0)->count = FLOW_GAP_BAD_TRACE;
	b->at = intel_psb_reach(b->bytes, b->size, b->at + 1, b->reach,
				b->reach_ctx);
}

/* Reads packets. Returns 1, 0 at the end, -ERROR_MEMORY. */
static int read_on(struct intel_branches *b)
{
	intel_branches_see(b, b->at);
	for (int i = 0; i < RUNS; i++) {
		struct intel_packet packet;
		size_t left;
		int status;

		if (!make_room(b))
			return -ERROR_MEMORY;
		if (!b->context.item_size)
			intel_run_take(b);
		left = b->size - b->at;
		status = intel_packet_read_in(&b->context, b->bytes + b->at,
					      left, &packet);
		if (!status)
			return 0;
		if (status < 0) {
			/* An invalid packet: where it ends is unknown. */
			consume_damage(b);
			return 1;
		}
		if (packet.kind == INTEL_PACKET_TMA && packet.detail &&
		    b->errata & INTEL_ERRATUM_SKZ84) {
			b->at += left > packet.size ? packet.size + 1u : left;
			continue;
		}
		consume_packet(b, &packet);
		b->at += packet.size;
	}
	return 1;
}

/* Removes the branches provided, moves the waiting ones to the front. */
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

/* Returns whether branch @index depends on the next one: the targets of
 * branches between those of a TNT may follow it.
 */
static bool may_need_next(const struct intel_branches *b, size_t index)
{
	return b->branches[index].kind == TRACE_BITS &&
	       (index + 1 == b->count ||
		b->branches[index + 1].kind == TRACE_TARGET);
}

/* Returns how many branches may be provided: an overflow must have the
 * address where execution resumes, and a branch without a time of its own is
 * provided with the next that has one.
 */
static size_t ready_count(const struct intel_branches *b)
{
	size_t count = b->closed;

	if (b->at_end)
		return count;
	if (b->overflow < count)
		count = b->overflow;
	for (size_t i = count; count - i < MOST_UNTIMED; i--)
		if (!i ||
		    (b->branches[i - 1].is_timed && !may_need_next(b, i - 1)))
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
			close_window(b, UINT64_MAX, 0);
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
