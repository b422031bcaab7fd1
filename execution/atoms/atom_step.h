/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_STEP_H
#define KT_EXECUTION_ATOM_STEP_H

#include "execution/walk/execution.h"

struct atom_range;

/* Single steps of walk_atoms.h. @range is for lists and may be NULL. */

/* Returns the block about to run. */
static inline const struct block *
atom_step_block(const struct execution *execution)
{
	return &execution->blocks[execution->block];
}

/* Returns the address of the last instruction of block @index. */
static inline uint64_t atom_step_last(const struct execution *execution,
				      uint32_t index)
{
	return execution->blocks[index].ip +
	       block_graph_info(execution->graph, index)->last;
}

/* Returns the end address of block @index. */
static inline uint64_t atom_step_end(const struct execution *execution,
				     uint32_t index)
{
	return execution->blocks[index].ip + execution->blocks[index].bytes;
}

/* Pushes the call at the end of block @index. */
static inline void atom_step_push(struct execution *execution, uint32_t index)
{
	return_stack_push(&execution->returns, atom_step_end(execution, index),
			  index);
}

/* Waits for the target of the indirect branch that ran at the end of block
 * @from.
 */
void atom_step_await(struct execution *execution, uint32_t from);

/* Runs block execution->block to its end. */
void atom_step_run(struct execution *execution, struct atom_range *range);

/* Runs on until a branch needs an atom. Returns whether there is one. */
bool atom_step_straight(struct execution *execution, struct atom_range *range);

/* Runs execution->block, whose branch is taken or not, and goes to its target.
 * Returns false if that is impossible.
 */
bool atom_step_leave(struct execution *execution, struct atom_range *range,
		     bool is_taken);

#endif
