/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_BRANCH_H
#define KT_DECODER_TRACE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

/* This is what a trace unit says of the flow of control: which way branches
 * went, and what happened between them.  Where execution was before and what
 * it ran, the code tells: see execution/.
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
	 * address; without one the trace is off.  If is_bound its time is @low.
	 */
	TRACE_SYNC,
	/* Code of @payload bits (2 = 64, 1 = 32, 0 = 16) begins with the next
	 * address.
	 */
	TRACE_MODE,
	/* The page table root (CR3 on x86) is @payload from here on; unless
	 * is_bound, behind the next instruction that sets it.  It is that of
	 * the host, not of a virtual machine.  @count is 1 where a
	 * synchronisation point repeats it.
	 */
	TRACE_ADDRESS_SPACE,
	/* A virtual machine runs with the page table root @payload: it is
	 * entered by the next branch, unless it runs already.  All addresses
	 * and branches from then on are of its code, up to the branch after the
	 * next TRACE_ADDRESS_SPACE.  @count as there.
	 */
	TRACE_GUEST,
	/* The virtual machine that is entered next is that of the VMCS at
	 * @payload.
	 */
	TRACE_MACHINE,
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

	/* Of trace units that tell of each branch whether it was taken, also of
	 * one that always is, and then where to if the code does not say so
	 * (Arm's ETMv4 and ETE).  Nothing of it has bounds: times and counts
	 * lie between them.
	 */

	/* The next @count branches: as TRACE_BITS.  In @low a 1 stands for each
	 * that begins a packet, a byte behind the packet before.
	 */
	TRACE_ATOMS,
	/* Execution is at the address, before the instruction there runs; the
	 * instruction set is @count (enum trace_set).  It goes on there in any
	 * case, and what is before is unknown unless the code leads there.
	 */
	TRACE_ADDRESS,
	/* The code runs on to the branch at the address, which is taken; those
	 * on the way were not.  @count as TRACE_ADDRESS.
	 */
	TRACE_SOURCE,
	/* The code runs on to the address, which an exception returns to.
	 * @count as TRACE_ADDRESS, with TRACE_EXCEPTION_ bits.
	 */
	TRACE_EXCEPTION,
	/* The branch before returned from an exception. */
	TRACE_EXCEPTION_RETURN,
	/* Tracing goes on, at the next address; @count is 1 behind an overflow
	 * of the unit's own buffer.
	 */
	TRACE_ON,
	/* The unit was switched on, with TRACE_SESSION_ bits in @count. */
	TRACE_SESSION,
	/* The unit was switched off; @count is 1 if the last of its trace is
	 * missing.
	 */
	TRACE_SESSION_END,
	/* The time is @payload ticks of the recording's clock. */
	TRACE_TIME,
	/* So many cycles went by since the last of these; 0: nobody knows.
	 * @count is 1 for one that goes with a TRACE_TIME: the next counts from
	 * where this one did.
	 */
	TRACE_CYCLES,
	/* The unit names the task that runs: its id is @payload. */
	TRACE_TASK,
};

/* Arm's instruction sets. */
enum trace_set { TRACE_A64, TRACE_A32, TRACE_T32, TRACE_SET_MASK };

enum {
	/* An instruction asked for the exception. */
	TRACE_EXCEPTION_CALL = 4,
	/* The branch before went to the address. */
	TRACE_EXCEPTION_TARGET = 8,
};

enum {
	TRACE_SESSION_RETURNS = 1, /* an address that a call told of is
					 * left out */
	TRACE_SESSION_CYCLES = 2,  /* cycles are counted */
	TRACE_SESSION_WAITS = 4,   /* wfi and wfe count as branches */
};

/* Time as a trace unit counts it, in 256ths of a tick. */
#define TRACE_TICK_SHIFT 8

/* One of them, with what is known of its time: it lies within [low, high], in
 * 256ths of a tick of the recording's clock; 0 and UINT64_MAX are no bound.
 */
struct trace_branch {
	uint64_t payload; /* an address, if has_address; or see above */
	uint64_t low;
	uint64_t high;
	uint64_t estimate; /* if has_estimate: the best one */
	uint32_t position; /* of its packet, counted from the batch's */
	uint8_t kind;	   /* enum trace_branch_kind */
	uint8_t count;
	bool has_address : 1;
	bool has_estimate : 1;
	bool is_exact : 1;   /* its last branch ran when it was written */
	bool is_timed : 1;   /* its own packet takes time: it is no part of
				 * the one that follows */
	bool is_bound : 1;   /* see above */
	bool is_unsure : 1;  /* by an erratum: see above */
	bool is_partial : 1; /* the address shares bits with the one before */
};

_Static_assert(sizeof(struct trace_branch) == 40, "branches are hot");

/* Some of them, in order. */
struct trace_branch_batch {
	const struct trace_branch *branches;
	uint32_t count;
	uint64_t position; /* in the bytes, of the batch's first packet */
};

#endif
