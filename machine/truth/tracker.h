/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_TRACKER_H
#define KT_MACHINE_TRUTH_TRACKER_H

#include "machine/truth/arch.h"
#include "machine/truth/block.h"
#include "machine/truth/clock.h"
#include "machine/truth/guest.h"
#include "machine/truth/writer.h"
#include "machine/unit/host_moments.h"

/* This is what one vCPU executes, turned into records.
 *
 * A branch is noted when its block starts and recorded when control has
 * arrived somewhere else: at the next block, or at the instruction that an
 * interrupt kept from running.  A fault at the branch itself cancels it.
 */
struct tracker {
	struct guest guest;
	struct clock clock;
	struct host_moment *moment; /* or NULL */
	struct writer *writer;
	GArray *undated; /* struct truth_record: clock not known yet */

	struct control control;	   /* of the trace unit */
	bool starting;		   /* the last instruction began a trace */
	const struct block *block; /* running or just left; may be NULL */
	uint64_t start;		   /* its address this time */
	uint64_t far_sp;	   /* before the far transfer that ends it */
	bool raised;		   /* an exception that is not delivered yet */
	uint32_t clock_insn;	   /* read the clock, what it gave has not been
				    * looked at; 0: none
				    */
	uint64_t clock_executed;   /* instructions up to it */
	uint64_t last_tsc;

	uint64_t records;
	uint64_t inexact;    /* records dated by the clock before a sleep */
	uint64_t lost_track; /* blocks left for an unexplained address */
};

/* This is what translated code itself keeps per vCPU, a scoreboard element. */
struct tracker_flags {
	uint64_t active;  /* call back at blocks */
	uint64_t reached; /* the block's last instruction was started */
};

/* Where the guest's kernel switches tasks; all 0: not known. */
struct switch_site {
	uint64_t function;   /* __switch_to(prev, next); arm64:
			      * cpu_switch_to
			      */
	uint32_t pid_offset; /* bytes into struct task_struct */
	uint32_t tgid_offset;
};

/* @block starts at @start (which differs from block->start in user code that
 * is mapped several times).
 */
void tracker_block(struct tracker *tracker, struct tracker_flags *flags,
		   const struct block *block, uint64_t start,
		   const struct switch_site *site);

/* An exception was raised: what is delivered next is that exception. */
void tracker_raised(struct tracker *tracker);

/* An interrupt, or the exception that was raised, was delivered: the
 * handler at @to is next, and the frame that holds @from is on the stack.
 */
void tracker_delivered(struct tracker *tracker, struct tracker_flags *flags,
		       uint64_t from, uint64_t to);

/* The block's instruction @index is about to give the unit @control. */
void tracker_control(struct tracker *tracker, struct tracker_flags *flags,
		     uint32_t index, const struct control *control);

/* @insn, the block's instruction @index, is about to read the clock; did. */
void tracker_before_clock(struct tracker *tracker, uint32_t index,
			  uint32_t insn);
void tracker_after_clock(struct tracker *tracker);

/* Writes what is undated with the best clock known. */
void tracker_finish(struct tracker *tracker);

#endif
