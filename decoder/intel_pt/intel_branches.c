/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches_internal.h"

#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/intel_pt/branch_window.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_flow_internal.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/aux_stream.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of bytes consumed at once, each adding at most one
 * branch. Reading ahead (INTEL_REACH_BYTES) must reach further.
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
	uint64_t cycles; /* this and elapsed: as in struct intel_clock */
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

/* Like intel_branches_add_timed() of intel_flow.c, for a branch of a run. */
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

/* Consumes the TIP at @run->at. Returns its size. */
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

/* Returns whether @bytes are a complete TIP with an address that reports only a
 * branch: it does not end an interrupt, and no event waits.
 */
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

/* Consumes a CYC of one or two bytes at @run->at. Returns its size, or 0 if
 * there is none.
 */
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

/* Consumes a TNT, TIP or MTC at @run->at that a run may contain. Returns its
 * size, or 0 if there is none. Moves *@end there if enough branches have their
 * final times.
 */
static inline size_t consume_other(struct intel_branches *b, struct run *run,
				   const uint8_t **end)
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
		if (b->closed >= b->enough)
			*end = bytes;
		return MTC_SIZE;
	}
	return 0;
}

/* Sets the position of branches from @first on, which are between a PSB and its
 * PSBEND, to that of the PSB.
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
 * Has the same effect as intel_branches_consume() for each packet. Must only be
 * called outside blocks of items (struct intel_packet_context).
 */
static void intel_run_consume(struct intel_branches *b)
{
	struct run run = run_of(b);
	size_t first = b->count;
	size_t left = b->size - b->at;
	const uint8_t *end;
	size_t cyc = 0;
	size_t other = 1;

	if (left > INTEL_RUN_BYTES)
		left = INTEL_RUN_BYTES;
	/* Excludes the last byte: the functions below read two. */
	end = run.at + left - (left > 0);
	/* Nearly every packet follows the CYC with its time. */
	while (cyc + other && run.at < end) {
		cyc = consume_cyc(b, &run);
		run.at += cyc;
		if (run.at >= end)
			break;
		other = consume_other(b, &run, &end);
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
	/* Number of runs, each with the packet after it, before fill() checks
	 * again whether enough branches are ready.
	 */
	RUNS = 8,
	/* Maximum number of branches that wait for a packet with a time; more
	 * are provided without an upper bound.
	 */
	OPEN_LIMIT = 1 << 18,
	/* A branch without a time of its own waits for the next one with a
	 * time. If more than this many wait, all are provided.
	 */
	MOST_UNTIMED = 1 << 12,
};

/* Returns the initial room for branches. There are rarely more branches than
 * bytes; otherwise intel_branches_make_room() enlarges it.
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
	branches->pause_at = UINT64_MAX;
	branches->enough = BATCH;
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

/* The conversion of the times of branches between two anchors. The counted
 * cycles may take less time than passed between the anchors, because a sleeping
 * core counts none, but not more. So a branch is at least its cycles after the
 * first anchor, and at least the remaining cycles before the second. If all
 * cycles, with the length that CBR gives, take longer than the time between the
 * anchors, the cycles were shorter than CBR indicates, and the two bounds are
 * swapped.
 */
struct stretch {
	int64_t low_shift;   /* added to anchor + low */
	uint64_t high_shift; /* added to anchor + high */
	double rate;	     /* relative error of the cycle length; 0: none */
};

static struct stretch stretch_of(const struct intel_clock *clock, uint64_t next,
				 uint64_t delay)
{
	uint64_t span = next > clock->anchor ? next - clock->anchor : 0;
	int64_t slack = (int64_t)(next - clock->anchor - clock->elapsed);
	struct stretch stretch = {
		.low_shift = slack < 0 ? slack : 0,
		.high_shift = (slack < 0 ? 0 : (uint64_t)slack) + delay,
	};

	/* A small difference is interpolated; a large one is a sleep, which
	 * ends with the next time packet. Too many cycles mean that cycles were
	 * shorter than CBR indicates, unless an anchor is wrong.
	 */
	if (clock->elapsed && span &&
	    (slack < 0 || (uint64_t)slack < span / 16))
		stretch.rate = (double)slack / (double)clock->elapsed;
	return stretch;
}

/* Returns @time moved by @shift, at least 0: damaged trace may count more
 * cycles than the whole time since 0.
 */
static uint64_t shifted(uint64_t time, int64_t shift)
{
	return shift < 0 && time < -(uint64_t)shift ? 0 :
						      time + (uint64_t)shift;
}

static void close_known(struct trace_branch *branches, size_t count,
			const struct intel_clock *clock, uint64_t next,
			uint64_t delay)
{
	const struct stretch stretch = stretch_of(clock, next, delay);

	for (size_t i = 0; i < count; i++) {
		struct trace_branch *branch = &branches[i];

		branch->estimate +=
			clock->anchor +
			(uint64_t)(int64_t)(stretch.rate * (double)branch->low);
		branch->low =
			shifted(clock->anchor + branch->low, stretch.low_shift);
		branch->high += clock->anchor + stretch.high_shift;
	}
}

static uint64_t weight_of(const struct trace_branch *branch)
{
	if (!branch->is_timed)
		return 0;
	return branch->kind == TRACE_BITS ? branch->count : 1;
}

/* For an interval without cycle counts: moves the estimate of the first branch
 * with a time of its own to the middle of its share of the interval, which each
 * packet gets in proportion to its branches. The other branches keep their
 * estimates.
 */
static void place_first(struct trace_branch *branches, size_t count,
			const struct intel_clock *clock, uint64_t next)
{
	struct trace_branch *first = NULL;
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		total += weight_of(&branches[i]);
		if (!first && branches[i].is_timed)
			first = &branches[i];
	}
	if (first && next > clock->anchor)
		first->estimate +=
			(next - clock->anchor) / 2 * weight_of(first) / total;
}

/* Sets the times before the first anchor, of which only the upper bound is
 * known.
 */
static void close_first(struct trace_branch *branches, size_t count,
			const struct intel_clock *clock, uint64_t next,
			uint64_t delay)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t rest = clock->elapsed - branches[i].high;

		branches[i].low = 0;
		branches[i].high = (next > rest ? next - rest : 0) + delay;
		branches[i].has_estimate = false;
	}
}

/* Sets the times after the last anchor, of which only the lower bound is known.
 */
static void close_last(struct trace_branch *branches, size_t count,
		       const struct intel_clock *clock)
{
	for (size_t i = 0; i < count; i++) {
		struct trace_branch *branch = &branches[i];

		if (!clock->has_anchor) {
			branch->low = 0;
			branch->has_estimate = false;
		}
		branch->low += clock->anchor;
		branch->estimate += clock->anchor;
		branch->high = UINT64_MAX;
	}
}

void branch_window_close(struct trace_branch *branches, size_t count,
			 const struct intel_clock *clock, uint64_t next,
			 uint64_t delay)
{
	if (next == UINT64_MAX) {
		close_last(branches, count, clock);
	} else if (!clock->has_anchor) {
		close_first(branches, count, clock, next, delay);
	} else {
		if (!clock->elapsed && !clock->setup.counts_cycles)
			place_first(branches, count, clock, next);
		close_known(branches, count, clock, next, delay);
	}
}

static uint64_t high_of_last(const struct trace_branch *branches, size_t count)
{
	for (; count; count--)
		if (branches[count - 1].is_timed)
			return branches[count - 1].high;
	return 0;
}

void branch_window_pass(struct trace_branch *branches, size_t count,
			uint64_t delay, uint64_t *last_high)
{
	if (delay) {
		*last_high = high_of_last(branches, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (branches[i].high < *last_high)
			branches[i].high = *last_high;
	*last_high = 0;
}

static void close_window(struct intel_branches *b, uint64_t next,
			 uint64_t delay)
{
	intel_branches_set_highs(b);
	if (b->count > b->closed)
		branch_window_close(b->branches + b->closed,
				    b->count - b->closed, &b->clock, next,
				    delay);
	b->closed = b->count;
}

/* Sets the time of an overflow to its upper bound, @closed being the number of
 * branches before this anchor. The unit writes OVF when it resumes, with a TSC:
 * no CYC counts the time during which trace was lost.
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

/* Skips at most INTEL_RUN_BYTES PADs after a PAD: the kernel pads a thread's
 * trace to 8 bytes.
 */
static void skip_pads(struct intel_branches *b)
{
	size_t end = b->size - b->at < INTEL_RUN_BYTES ?
			     b->size :
			     b->at + INTEL_RUN_BYTES;

	while (b->at < end && !b->bytes[b->at])
		b->at++;
}

/* Reads packets, one or more. Returns 1, 0 at the end, -ERROR_MEMORY. */
static int read_on(struct intel_branches *b)
{
	intel_branches_see(b, b->at);
	for (int i = 0; i < RUNS && (!i || b->closed < b->enough); i++) {
		struct intel_packet packet;
		size_t left;
		int status;

		if (!intel_branches_make_room(b, INTEL_RUN_BYTES))
			return -ERROR_MEMORY;
		if (!b->context.item_size)
			intel_run_consume(b);
		left = b->size - b->at;
		status = intel_packet_read_in(&b->context, b->bytes + b->at,
					      left, &packet);
		if (!status)
			return 0;
		if (status < 0 || intel_clock_refuses(&b->clock, &packet,
						      b->bytes + b->at, left)) {
			/* Where an invalid packet ends is unknown. */
			intel_branches_skip_damage(b);
			return 1;
		}
		if (packet.kind == INTEL_PACKET_TMA && packet.detail &&
		    b->errata & INTEL_ERRATUM_SKZ84) {
			b->at += left > packet.size ? packet.size + 1u : left;
			continue;
		}
		intel_branches_consume(b, &packet);
		b->at += packet.size;
		if (packet.kind == INTEL_PACKET_PAD)
			skip_pads(b);
	}
	return 1;
}

/* Returns whether branch @index depends on the next one: indirect branches may
 * run between the branches of one TNT, and their targets follow it.
 */
static bool may_need_next(const struct intel_branches *b, size_t index)
{
	return b->branches[index].kind == TRACE_BITS &&
	       (index + 1 == b->count ||
		b->branches[index + 1].kind == TRACE_TARGET);
}

/* Returns how many branches may be provided now. An overflow waits for the
 * address where execution resumes; a branch without a time of its own is
 * provided together with the next one that has a time.
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

/* Reads until enough branches are ready, or up to the end. */
static int fill(struct intel_branches *b)
{
	while (!b->at_end && ready_count(b) < b->enough) {
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

	intel_branches_drop_taken(b);
	status = fill(b);
	if (status < 0)
		return status;
	b->taken = ready_count(b);
	b->enough = BATCH;
	*batch = (struct trace_branch_batch){
		.branches = b->branches,
		.count = (uint32_t)b->taken,
		.position = b->base,
	};
	return b->taken != 0;
}

/* Returns whether a packet, a sync point or an overflow is incomplete. */
static bool is_broken_off(const struct intel_branches *b)
{
	return b->at != b->size || b->header.is_open ||
	       b->overflow != NO_OVERFLOW || b->context.item_size;
}

void intel_branches_pause_at(struct intel_branches *b, uint64_t time)
{
	b->pause_at = time;
}

/* Returns whether an extended packet, whose first byte is at @bytes, may be one
 * on which later packets depend other than by addresses and times: PSB, CBR,
 * PIP, BBP, VMCS or OVF.
 */
static bool sets_state(const uint8_t *bytes, size_t size)
{
	static const uint8_t second[] = { 0x03, 0x43, 0x63, 0xc8, 0xf3 };

	if (size == 1 || memchr(second, bytes[1], sizeof(second)))
		return true;
	return bytes[1] == 0x82 && (size == 2 || bytes[2] == 2);
}

/* Returns whether the bytes from b->at on may be left unread: later packets
 * depend at most on their addresses and times. Searches all bytes, also those
 * inside packets, so it may return false needlessly.
 */
static bool is_dispensable(struct intel_branches *b)
{
	enum { EXTENDED = 0x02, MODE = 0x99 };
	size_t left = b->size - b->at;
	const uint8_t *end;
	const uint8_t *at;

	/* Without a ratio, the cycle length is measured. */
	if (!b->clock.has_ratio || b->clock.is_guest ||
	    left > INTEL_REACH_BYTES)
		return false;
	intel_branches_see(b, b->at);
	at = b->bytes + b->at;
	end = at + left;
	if (memchr(at, MODE, left))
		return false;
	for (; (at = memchr(at, EXTENDED, (size_t)(end - at))); at++)
		if (sets_state(at, (size_t)(end - at)))
			return false;
	return true;
}

bool intel_branches_stop(struct intel_branches *b, size_t *at)
{
	if (b->header.is_open || b->overflow != NO_OVERFLOW ||
	    b->context.item_size || !is_dispensable(b))
		return false;
	/* The branches that are not provided yet are dropped. */
	for (size_t i = b->taken; i < b->count; i++)
		if (b->branches[i].kind > TRACE_TARGET)
			return false;
	*at = b->at;
	b->size = b->at;
	b->has_open_tnt = false;
	return true;
}

/* Returns whether a packet of @kind depends neither on an earlier time nor on
 * an earlier address.
 */
static bool is_whole(uint8_t kind)
{
	return kind == INTEL_PACKET_TSC || kind == INTEL_PACKET_TMA ||
	       kind == INTEL_PACKET_CBR || kind == INTEL_PACKET_MODE ||
	       kind == INTEL_PACKET_PIP || kind == INTEL_PACKET_VMCS ||
	       kind == INTEL_PACKET_PSB || kind == INTEL_PACKET_PSBEND;
}

/* Returns whether the trace at @bytes depends on no addresses and times before
 * it: starts with the time, and then a whole address.
 */
static bool starts_anew(const uint8_t *bytes, size_t size)
{
	struct intel_packet packet = { .kind = INTEL_PACKET_PAD };
	bool has_time = false;

	for (size_t at = 0; packet.kind != INTEL_PACKET_TIP_PGE;
	     at += packet.size) {
		if (intel_packet_read(bytes + at, size - at, &packet) <= 0 ||
		    (!is_whole(packet.kind) &&
		     packet.kind != INTEL_PACKET_TIP_PGE))
			return false;
		has_time |= packet.kind == INTEL_PACKET_TMA;
	}
	return has_time && intel_address_size(packet.compression) &&
	       !intel_address_is_partial(packet.compression);
}

bool intel_branches_go_on(struct intel_branches *b, const uint8_t *bytes,
			  size_t size, size_t from, size_t rest)
{
	if (is_broken_off(b) || rest > from)
		return false;
	if (rest && starts_anew(bytes + from, size - from)) {
		b->breaks_off = false;
		b->waiting = 0;
	} else {
		from -= rest;
	}
	b->bytes = bytes;
	b->size = size;
	b->at = from;
	b->base = from;
	b->count = 0;
	b->closed = 0;
	b->no_high = 0;
	b->taken = 0;
	b->at_end = false;
	b->pause_at = UINT64_MAX;
	return true;
}
