/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_BRANCH_H
#define KT_DECODER_TRACE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

/* What a trace unit says of the flow of control: which way branches went, and
 * what happened between them.  Where execution was before and what it ran, the
 * code tells: see execution/.
 */
enum trace_branch_kind {
	/* The next @count conditional branches, or returns to where their call
	 * came from: 1 in @payload is taken; the oldest is the highest of the
	 * low @count bits.
	 */
	TRACE_BITS,
	/* The next indirect branch or far transfer goes to the address. */
	TRACE_TARGET,
	/* Execution comes to the address by what the code alone says; what
	 * follows happens there, before the instruction runs.  If is_bound it
	 * then goes on; if is_unsure the branch before may have gone there,
	 * whatever the code says.
	 */
	TRACE_REACH,
	/* An interrupt or exception, behind a TRACE_REACH; its handler begins
	 * at the address.
	 */
	TRACE_INTERRUPT,
	/* Tracing starts at the address. */
	TRACE_START,
	/* Tracing stops as the next indirect branch or far transfer runs, which
	 * goes to the address.  If is_unsure a direct one may have left.
	 */
	TRACE_STOP,
	/* Tracing stops behind a TRACE_REACH; the rest as TRACE_STOP.  If
	 * is_unsure the instruction there may have run, and entered a virtual
	 * machine.
	 */
	TRACE_STOP_THERE,
	/* The unit lost trace; execution goes on at the address, or without one
	 * not traced.
	 */
	TRACE_OVERFLOW,
	/* A synchronisation point: the next instruction to run is at the
	 * address; without one the trace is off.
	 */
	TRACE_SYNC,
	/* Code of @payload bits (2 = 64, 1 = 32, 0 = 16) begins with the next
	 * address.
	 */
	TRACE_MODE,
	/* The page table root (CR3 on x86) is @payload from here on; unless
	 * is_bound, behind the next instruction that sets it.
	 */
	TRACE_ADDRESS_SPACE,
	/* A transaction: @payload is 1 began, 2 committed, 3 aborted. */
	TRACE_TRANSACTION,
	/* A ptwrite instruction of the operand @payload. */
	TRACE_PTWRITE,
	/* Trace that is not there or cannot be read, up to the next TRACE_SYNC:
	 * @count is an enum flow_gap_reason, @payload its bytes, 0 if unknown.
	 */
	TRACE_GAP,
	/* The same behind the last branch that time is known of: what comes
	 * next has a clock of its own.
	 */
	TRACE_BREAK,
	/* The stream ends; not a gap. */
	TRACE_END,
};

/* Time as a trace unit counts it, in 256ths of a tick. */
#define TRACE_TICK_SHIFT 8

/* One of them, with what is known of its time: it lies within [low, high], in
 * 256ths of a tick of the recording's clock; 0 and UINT64_MAX are no bound.
 */
struct trace_branch {
	uint64_t payload;	/* an address, if has_address; or see above */
	uint64_t low;
	uint64_t high;
	uint64_t estimate;	/* if has_estimate: the best one */
	uint32_t position;	/* of its packet, counted from the batch's */
	uint8_t kind;		/* enum trace_branch_kind */
	uint8_t count;
	bool has_address : 1;
	bool has_estimate : 1;
	bool is_exact : 1;	/* its last branch ran when it was written */
	bool is_timed : 1;	/* its own packet takes time: it is no part of
				 * the one that follows */
	bool is_bound : 1;	/* see above */
	bool is_unsure : 1;	/* by an erratum: see above */
	bool is_partial : 1;	/* the address shares bits with the one before */
};

_Static_assert(sizeof(struct trace_branch) == 40, "branches are hot");

/* Some of them, in order. */
struct trace_branch_batch {
	const struct trace_branch *branches;
	uint32_t count;
	uint64_t position;	/* in the bytes, of the batch's first packet */
};

#endif
