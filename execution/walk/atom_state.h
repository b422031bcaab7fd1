/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_STATE_H
#define KT_EXECUTION_ATOM_STATE_H

#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct task_ids;

/* A stretch without known execution, which ends with what runs next. */
struct atom_gap {
	bool is_open;
	uint8_t reason;	   /* enum flow_gap_reason */
	uint64_t position; /* in the stream's bytes */
	uint64_t low_ns;
	uint64_t high_ns;
};

/* This is what the trace unit counts of cycles: those since the last count,
 * but one that comes with a time stamp does not begin anew.
 */
struct atom_cycles {
	bool is_known;	  /* since when the next count is */
	uint64_t stamped; /* of the next count: up to a time stamp */
	uint64_t carried; /* before the next block ran */
	uint64_t counted; /* instructions, up to the last count */
	uint64_t work;	  /* event_times.work then */
	uint64_t weighed; /* of the work since the last known time: so many
			   * of the units are cycles */
	uint64_t total;	  /* where they are the clock: so far, from 1 */
};

/* This is what following atoms needs beside struct execution, whose from and
 * block say where it is.
 */
struct atom_state {
	/* Of the unit. */
	bool is_on;	  /* it has an atom for each branch */
	bool has_returns; /* it leaves out where calls return to */
	bool counts_cycles;

	/* Where execution is. */
	bool is_running;      /* the next block follows the last */
	bool must_start;      /* tracing began: that is to be said */
	bool awaits_target;   /* @from ran, an indirect branch; there is no
				 * @block */
	bool pops_target;     /* unless an address follows, it is where the
				 * last call returns to */
	bool is_expected;     /* the code says that @block is next, or: */
	uint32_t told;	      /* what the trace says then, or BLOCK_NONE */
	uint8_t set;	      /* enum instruction_set of the last address */
	uint64_t listed_mode; /* what was last said of it in a list */
	struct atom_gap gap;

	/* When it is. */
	enum recording_time clock;
	uint64_t low_ns;       /* the last known time */
	uint64_t known_ns;     /* the same if nothing ran since, else 0 */
	uint64_t bound_low_ns; /* of records added now */
	uint64_t bound_high_ns;
	uint64_t after_low_ns; /* when what ran last ended */
	uint64_t after_high_ns;
	uint64_t instructions;	 /* so far, from 1 */
	uint64_t work_seen;	 /* event_times.work of that */
	uint64_t next_change_ns; /* of the code */
	struct atom_cycles cycles;

	/* Who runs, where the trace alone tells. */
	struct task_ids *tasks; /* NULL: the kernel's records do */
	int64_t task;		/* that it named last, or -1 */
	bool named_tasks;	/* it named one that is not 0 */
};

#endif
