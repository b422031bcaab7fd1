/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_ATOMS_H
#define KT_EXECUTION_FOLLOW_ATOMS_H

#include <stdint.h>

struct execution;
struct flow_input;
struct trace_branch;

/* Follows the trace of units that emit an atom for each branch (TRACE_ATOMS in
 * trace_branch.h), Arm's ETMv4 and ETE: the counterpart of follow.h.
 *
 *	TRACE_ATOMS, _ADDRESS, _SOURCE,    atom_flow.h, which runs blocks
 *	_EXCEPTION, _ON                    by walk_atoms.h
 *	TRACE_TIME, _CYCLES                atom_times.h, atom_cycles.h
 *	TRACE_SESSION, _GAP, _END          follow_atoms.c, atom_gaps.h
 *	TRACE_TASK                         follow_atoms.c
 *
 * The state is struct execution and its struct atom_state:
 *
 * 1. While awaits_target is set, the block is BLOCK_NONE.
 * 2. A block that follows from the code is only replaced by an address in the
 *    trace when it is about to run, so that a difference is found: it is a gap.
 * 3. A gap is emitted when execution is known again, with its size.
 *
 * Threads and errors are as in execution.h.
 */

/* Sets up @execution, whose code is open, for @input's stream, if its unit
 * emits atoms. Returns 0 or -ERROR_MEMORY.
 */
int follow_atoms_init(struct execution *execution,
		      const struct flow_input *input);

/* Resets all state to unknown, including the code. Keeps the unit's settings.
 */
void follow_atoms_reset(struct execution *execution);

void follow_atoms_close(struct execution *execution);

/* As follow_branch(). */
int follow_atoms(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position);

#endif
