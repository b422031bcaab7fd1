/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_STEP_H
#define KT_EXECUTION_ATOM_STEP_H

#include "execution/walk/execution.h"

struct atom_range;

/* Single steps of walk_atoms.h.  @range, of a list, may be NULL. */

/* The block about to run. */
static inline const struct block *
atom_step_block(const struct execution *execution)
{
	return &execution->blocks[execution->block];
}

/* Where the last instruction of block @index is. */
static inline uint64_t atom_step_last(const struct execution *execution,
				      uint32_t index)
{
	return execution->blocks[index].ip +
	       block_graph_info(execution->graph, index)->last;
}

/* Returns what is behind block @index. */
static inline uint64_t atom_step_end(const struct execution *execution,
				     uint32_t index)
{
	return execution->blocks[index].ip + execution->blocks[index].bytes;
}

/* The call at the end of block @index is made. */
static inline void atom_step_push(struct execution *execution, uint32_t index)
{
	return_stack_push(&execution->returns, atom_step_end(execution, index),
			  index);
}

/* Where the indirect branch leads to that ran at the end of block @from is to
 * be said.
 */
void atom_step_await(struct execution *execution, uint32_t from);

/* Block execution->block runs, to its end. */
void atom_step_run(struct execution *execution, struct atom_range *range);

/* Runs on while no branch takes an atom.  Returns whether one is next. */
bool atom_step_straight(struct execution *execution, struct atom_range *range);

/* Runs execution->block, whose branch is taken or not, and goes where that
 * leads.  Returns false if it cannot.
 */
bool atom_step_leave(struct execution *execution, struct atom_range *range,
		     bool is_taken);

#endif
