/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "decoder/intel_pt/branch_window.h"
#include "decoder/intel_pt/intel_branches_parts.h"
#include "decoder/intel_pt/intel_run.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 8192,
	/* Number of branches provided at once, if available. */
	BATCH = 2048,
	/* Number of runs, and packets between them, before the loop checks
	 * again.
	 */
	RUNS = 8,
	/* After this many branches without a time packet their bounds are given
	 * up.
	 */
	OPEN_LIMIT = 1 << 18,
	/* Branches without a time of their own wait for others; if there are
	 * more than this, the trace has no other branches.
	 */
	MOST_UNTIMED = 1 << 12,
};

/* There are rarely more branches than bytes; otherwise make_room() enlarges it.
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

/* OVF is written when the unit resumes, with a TSC: the lost trace before it
 * took time that no CYC contains.
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

void intel_branches_take_anchor(struct intel_branches *b, uint64_t anchor,
				bool is_mtc)
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

/* If a packet follows without a cycle in between, it caused the TNT to be
 * written: the TNT has that packet's time. Packets before an OVF are lost.
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
		intel_branches_take_anchor(b, anchor,
					   packet->kind == INTEL_PACKET_MTC);
	else
		intel_branches_take_flow(b, packet);
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

/* The bytes up to the next PSB are invalid. */
static void take_damage(struct intel_branches *b)
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
			/* It may end far beyond the readable bytes. */
			take_damage(b);
			return 1;
		}
		if (packet.kind == INTEL_PACKET_TMA && packet.detail &&
		    b->errata & INTEL_ERRATUM_SKZ84) {
			b->at += left > packet.size ? packet.size + 1u : left;
			continue;
		}
		take_packet(b, &packet);
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

/* The targets of branches between those of a TNT may follow it. */
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
