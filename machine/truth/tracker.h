/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_TRACKER_H
#define KT_MACHINE_TRUTH_TRACKER_H

#include "machine/truth/arch.h"
#include "machine/truth/block.h"
#include "machine/truth/clock.h"
#include "machine/truth/guest.h"
#include "machine/truth/writer.h"
#include "machine/unit/host_moments.h"

/* Converts the execution of one vCPU into records.
 *
 * A branch is remembered when its block starts, and recorded when control has
 * arrived elsewhere: at the next block, or at the instruction that an interrupt
 * prevented from running. A fault at the branch itself cancels it.
 */
struct tracker {
	struct guest guest;
	struct clock clock;
	struct host_moment *moment; /* or NULL */
	struct writer *writer;
	GArray *undated; /* struct truth_record: records without a time yet */

	struct control control; /* state of the trace unit */
	bool starting;		/* the last instruction started a trace */
	bool lets_interrupts;	/* as recorded last; false at first */
	/* the current or just left block; may be NULL */
	const struct block *block;
	uint64_t start; /* its address in this execution */
	/* stack pointer before the far transfer at its end */
	uint64_t far_sp;
	/* an exception was raised and not delivered yet */
	bool raised;
	/* the instruction that read the clock, while its result has not been
	 * used yet; 0: none
	 */
	uint32_t clock_insn;
	uint64_t clock_executed; /* instructions up to it */
	uint64_t last_tsc;

	uint64_t records;
	uint64_t inexact;    /* records dated by the clock before a sleep */
	uint64_t lost_track; /* blocks left for an unexplained address */
};

/* State that translated code maintains per vCPU; a scoreboard element. */
struct tracker_flags {
	uint64_t active;  /* call the tracker at each block */
	uint64_t reached; /* the block's last instruction was started */
};

/* The location of the guest kernel's task switch; all 0: unknown. */
struct switch_site {
	uint64_t function;   /* __switch_to(prev, next); arm64:
			      * cpu_switch_to
			      */
	uint32_t pid_offset; /* bytes into struct task_struct */
	uint32_t tgid_offset;
};

/* Reports that @block starts at @start, which differs from block->start for
 * user code that is mapped several times.
 */
void tracker_block(struct tracker *tracker, struct tracker_flags *flags,
		   const struct block *block, uint64_t start,
		   const struct switch_site *site);

/* Reports that an exception was raised. The next delivery is this exception. */
void tracker_raised(struct tracker *tracker);

/* Reports that an interrupt, or the raised exception, was delivered: the
 * handler at @to is next, and the frame with @from is on the stack.
 */
void tracker_delivered(struct tracker *tracker, struct tracker_flags *flags,
		       uint64_t from, uint64_t to);

/* Reports that the block's instruction @index is about to set the unit's
 * @control.
 */
void tracker_control(struct tracker *tracker, struct tracker_flags *flags,
		     uint32_t index, const struct control *control);

/* Called before and after @insn, the block's instruction @index, reads the
 * clock.
 */
void tracker_before_clock(struct tracker *tracker, uint32_t index,
			  uint32_t insn);
void tracker_after_clock(struct tracker *tracker);

/* Writes the records without a time, using the best known clock. */
void tracker_finish(struct tracker *tracker);

#endif
