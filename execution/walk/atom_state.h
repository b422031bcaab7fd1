/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_STATE_H
#define KT_EXECUTION_ATOM_STATE_H

#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct task_ids;

/* An interval without known execution. It ends where execution is known again.
 */
struct atom_gap {
	bool is_open;
	uint8_t reason;	   /* enum flow_gap_reason */
	uint64_t position; /* in the stream's bytes */
	uint64_t low_ns;
	uint64_t high_ns;
};

/* Cycle counts of the trace unit. Each count covers the cycles since the
 * previous one. A count that accompanies a time stamp does not restart the
 * counter: the next count includes it.
 */
struct atom_cycles {
	bool is_known; /* the start of the next count is known */
	/* cycles of the next count that were consumed with a time stamp */
	uint64_t stamped;
	uint64_t carried; /* cycles consumed for which nothing has run yet */
	uint64_t counted; /* atom_state.instructions at the last count */
	uint64_t work;	  /* event_times.work at the last count */
	/* how many instructions of the work since the last known time stand for
	 * cycles
	 */
	uint64_t weighed;
	uint64_t total; /* if cycles are the clock: the time, starting at 1 */
};

/* The state of following atoms that struct execution does not have. The
 * position is in struct execution: from and block.
 */
struct atom_state {
	/* Settings of the trace unit. */
	bool is_on; /* the unit emits an atom for each branch */
	/* the unit omits the address of a return to its call site */
	bool has_returns;
	bool counts_cycles;

	/* Position. */
	bool is_running; /* the next block follows the last */
	/* tracing started; the next block emits the start */
	bool must_start;
	/* @from ended in an indirect branch and has run; @block is unknown */
	bool awaits_target;
	/* if no address follows, the target is the return address of the
	 * innermost call
	 */
	bool pops_target;
	/* @block follows from the code. It is compared with @told when it runs
	 */
	bool is_expected;
	/* if is_expected: the block at the address that the trace reported, or
	 * BLOCK_NONE
	 */
	uint32_t told;
	uint8_t set;	      /* enum instruction_set of the last address */
	uint64_t listed_mode; /* the last mode added to a list */
	struct atom_gap gap;

	/* Time. */
	enum recording_time clock;
	uint64_t low_ns;       /* the last known time */
	uint64_t known_ns;     /* low_ns if nothing ran since, else 0 */
	uint64_t bound_low_ns; /* time bounds of records added next */
	uint64_t bound_high_ns;
	uint64_t after_low_ns; /* time bounds of the end of the last block */
	uint64_t after_high_ns;
	/* instructions executed so far, starting at 1 */
	uint64_t instructions;
	/* instructions of event_times.work that are counted in @instructions */
	uint64_t work_seen;
	uint64_t next_change_ns; /* when the code changes next */
	struct atom_cycles cycles;

	/* The running task, if only the trace reports it. */
	struct task_ids *tasks; /* NULL: the kernel's records report it */
	int64_t task;		/* the ID that the trace reported last, or -1 */
	bool named_tasks;	/* the trace reported an ID other than 0 */
};

#endif
