/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_run.h"
#include "decoder/intel_pt/intel_branches_parts.h"

#include <string.h>

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

/* A CYC that an OVF overwrote except for its first byte (SKD007): OVF is 02 f3.
 */
static inline bool is_overwritten(const struct intel_branches *b,
				  const uint8_t *bytes)
{
	return bytes[1] == 2 && b->errata & INTEL_ERRATUM_SKD007 &&
	       b->bytes + b->size - bytes > 2 && bytes[2] == 0xf3;
}

static inline void take_cycles(const struct intel_branches *b, struct run *run,
			       uint64_t cycles)
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

static inline void take_tnt(struct intel_branches *b, struct run *run,
			    uint8_t raw)
{
	unsigned int count = 31 - (unsigned int)__builtin_clz(raw);

	b->breaks_off = false;
	add(run, TRACE_BITS, raw ^ 1u << count,
	    intel_tnt_may_be_full((uint8_t)count))
		->count = (uint8_t)count;
	run->has_open_tnt = true;
}

/* The current packet caused the previous TNT to be written, at the same time.
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
static inline size_t take_tip(struct intel_branches *b, struct run *run,
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

/* The times between this anchor and the last become final. */
static inline void take_mtc(struct intel_branches *b, struct run *run,
			    uint8_t payload)
{
	uint64_t anchor;

	close_tnt(run);
	if (!intel_clock_take_mtc(&b->clock, payload, &anchor)) {
		b->overflow = NO_OVERFLOW;
		return;
	}
	end_run(b, run);
	intel_branches_take_anchor(b, anchor, true);
	*run = run_of(b);
}

/* Returns the size of the CYC at @run->at, or 0 if it is another packet. */
static inline size_t take_cyc(const struct intel_branches *b, struct run *run)
{
	const uint8_t *bytes = run->at;
	uint8_t first = bytes[0];

	if ((first & 7) == 3) {
		take_cycles(b, run, first >> 3);
		return 1;
	}
	if ((first & 7) != 7 || bytes[1] & 1)
		return 0;
	if (__builtin_expect(is_overwritten(b, bytes), 0))
		return 1;
	take_cycles(b, run, (uint64_t)(bytes[1] >> 1) << 5 | first >> 3);
	return 2;
}

/* Returns the size of the packet at @run->at, or 0 if it cannot be in a run. */
static inline size_t take_other(struct intel_branches *b, struct run *run)
{
	const uint8_t *bytes = run->at;
	uint8_t first = bytes[0];

	if (!(first & 1) && first > 2) {
		take_tnt(b, run, first >> 1);
		return 1;
	}
	if (is_plain_tip(b, bytes))
		return take_tip(b, run, first >> 5);
	if (first == MTC_OPCODE) {
		take_mtc(b, run, bytes[1]);
		return MTC_SIZE;
	}
	return 0;
}

/* State repeated by a PSB gets the PSB's position. */
static void set_positions(const struct intel_branches *b, size_t first)
{
	for (size_t i = first; i < b->count; i++)
		b->branches[i].position =
			(uint32_t)(b->header.position - b->base);
}

void intel_run_take(struct intel_branches *b)
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
		cyc = take_cyc(b, &run);
		run.at += cyc;
		if (run.at >= end)
			break;
		other = take_other(b, &run);
		run.at += other;
	}
	end_run(b, &run);
	if (b->count > first)
		b->overflow = NO_OVERFLOW;
	if (b->header.is_open)
		set_positions(b, first);
}
