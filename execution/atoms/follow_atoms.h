/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOMS_FOLLOW_ATOMS_H
#define KT_EXECUTION_ATOMS_FOLLOW_ATOMS_H

#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stdint.h>

struct flow_input;

/* Follows the trace of units that emit an atom for each branch (TRACE_ATOMS in
 * branch_source.h), Arm's ETMv4 and ETE: the counterpart of follow_internal.h.
 *
 *	TRACE_ATOMS, _ADDRESS, _SOURCE,    runs blocks by walk_atoms_internal.h
 *	_EXCEPTION, _ON
 *	TRACE_TIME, _CYCLES                atom_times_internal.h
 *	TRACE_SESSION, _GAP, _END, _TASK   follow_atoms.c
 *
 * The state is struct execution and its struct atom_state:
 *
 * 1. While awaits_target is set, the block is BLOCK_NONE.
 * 2. If the code determines the next block, an address in the trace is compared
 *    with it when the block is about to run: a difference is a gap.
 * 3. A gap is emitted when execution is known again, with its size.
 *
 * Threads and errors are as in execution.h.
 */

/* Decoder state saved right after a sync point, with times in nanoseconds: the
 * state of atoms only. The rest of an execution's state, and the unit's
 * settings, which each session repeats, are not included.
 */
struct atom_point {
	/* members that belong to one execution are not valid; instructions
	 * counts from the last cycle count
	 */
	struct atom_state state;
	uint64_t reported_ip; /* 0: none */
	uint8_t reported_set;
	bool has_pid; /* pid is known from the trace, not from records */
	int32_t pid;
};

/* Returns the initial state, with everything unknown. */
struct atom_state atom_point_first(void);

void atom_point_save(struct atom_point *point,
		     const struct execution *execution);

/* Makes @execution, of the same unit, continue from @point, with the code
 * before @next_change_ns. Returns 0 or -ERROR_MEMORY.
 */
int atom_point_restore(const struct atom_point *point,
		       struct execution *execution, uint64_t next_change_ns);

bool atom_point_is_same(const struct atom_point *a, const struct atom_point *b);

/* Sets up @execution, whose code is open, for @input's stream, if its unit
 * emits atoms. Returns 0 or -ERROR_MEMORY.
 */
int follow_atoms_init(struct execution *execution,
		      const struct flow_input *input);

/* Resets all state to unknown, including the code. Keeps whether the unit emits
 * atoms, the clock and the tasks; the unit's other settings follow in the next
 * TRACE_SESSION.
 */
void follow_atoms_reset(struct execution *execution);

void follow_atoms_close(struct execution *execution);

/* As follow_branch(). */
int follow_atoms(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position);

#endif
