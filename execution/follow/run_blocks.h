/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RUN_BLOCKS_H
#define KT_EXECUTION_RUN_BLOCKS_H

#include "execution/follow/run.h"
#include "execution/walk/walk.h"

/* The engine's inner loop: all that is done for nearly each block that runs.
 * What can be known of an edge beforehand is found once, in its block.
 */

/* Nobody went along this edge before. */
RUN_INLINE void run_find_edge(struct execution *execution, struct run *run)
{
	execution->block = run->from;
	walk_along(execution, run->edge);
	run->blocks = execution->blocks;
	run->to = execution->block;
	run->passage = execution->passage;
}

/* Block @run->to runs, which returns: to BLOCK_NONE if nothing says where. */
RUN_INLINE void run_find_back(struct execution *execution, struct run *run)
{
	execution->block = run->to;
	run->work += run->blocks[run->to].work;
	run->from = run->to;
	run->edge = EDGE_TAKEN;
	/* Also where there is no way back. */
	execution->passage = PASSAGE_OTHER;
	run->to = walk_back(execution) ? execution->block : BLOCK_NONE;
	run->blocks = execution->blocks;
	run->passage = execution->passage;
}

/* Control came to another function, or may have. */
RUN_INLINE void run_enter(struct execution *execution, struct run *run)
{
	uint64_t ip = run->blocks[run->to].ip;

	if (run->passage == PASSAGE_RETURN)
		run_put(run, run->bounds, FUNCTION_RETURN, ip);
	else if (run->passage == PASSAGE_TAIL_CALL)
		run_put(run, run->bounds, FUNCTION_TAIL_CALL, ip);
	else
		run_arrive(execution, run, false);
	run->passage = PASSAGE_INSIDE;
}

/* Block @run->to, which is @block, runs, and control leaves it along @edge. */
RUN_INLINE void run_along(struct run *run, const struct block *block,
			  enum block_edge edge)
{
	run->work += block->work;
	run->from = run->to;
	run->to = block->to[edge];
	run->edge = edge;
	run->passage = block->passage[edge];
}

/* A call runs. */
RUN_INLINE void run_call(struct execution *execution, struct run *run,
			 const struct block *block)
{
	uint64_t return_address = block->ip + block->bytes;

	return_stack_push(&execution->returns, return_address, run->to);
	run_along(run, block, EDGE_TAKEN);
	if (run->passage != PASSAGE_CALL)
		return;
	run_put(run, run->bounds, FUNCTION_CALL, return_address);
	run->passage = PASSAGE_INSIDE;
}

/* Returns whether the jump @block leads to nothing but a return: the kernel's
 * __x86_return_thunk, which may be patched to be more.
 */
RUN_INLINE bool run_is_thunk_return(const struct run *run,
				    const struct block *block)
{
	return block->passage[EDGE_TAKEN] == PASSAGE_THUNK_RETURN &&
	       run->blocks[block->to[EDGE_TAKEN]].kind == BLOCK_RETURN;
}

/* Block @run->to, which is @block, runs if it returns from plain code to plain
 * code, itself or by way of a thunk.  Returns whether it does.
 */
RUN_INLINE bool run_back(struct execution *execution, struct run *run,
			 const struct block *block, bool is_taken)
{
	bool is_return = block->passage[EDGE_TAKEN] == PASSAGE_RETURN;
	const struct block *call;

	if (!is_return && !run_is_thunk_return(run, block))
		return false;
	call = &run->blocks[return_stack_top(&execution->returns)];
	if (call->passage[EDGE_NEXT] != PASSAGE_RETURN || !is_taken)
		return false;
	if (!is_return)
		run_along(run, block, EDGE_TAKEN);
	run_along(run, &run->blocks[run->to], EDGE_TAKEN);
	run->to = call->to[EDGE_NEXT];
	run->passage = PASSAGE_RETURN;
	return_stack_drop(&execution->returns);
	return true;
}

/* Returns whether a block may run that takes no trace, @left of which may. */
RUN_INLINE bool run_has_room(struct execution *execution, const struct run *run,
			     unsigned int *left)
{
	return (*left)-- && run->next <= execution->times.records +
						 EVENT_TIMES_ROOM -
						 RECORDS_AT_ONCE;
}

/* A block runs that takes no trace, and is no call.  Returns false if it cannot.
 */
RUN_INLINE bool run_straight(struct execution *execution, struct run *run,
			     const struct block *block)
{
	if (block->kind == BLOCK_JUMP)
		run_along(run, block, EDGE_TAKEN);
	else if (block->kind == BLOCK_FALL)
		run_along(run, block, EDGE_NEXT);
	else if (block->kind == BLOCK_UNREAD)
		block_graph_read(execution->graph, run->to);
	else
		return false;
	return true;
}

/* Goes where @run just went, which may be unknown, or another function.
 * Returns false if there is nothing to go to.
 */
RUN_INLINE bool run_in(struct execution *execution, struct run *run,
		       bool has_more)
{
	if (run->passage == PASSAGE_NEW)
		run_find_edge(execution, run);
	if (run->to == BLOCK_NONE)
		return false;
	if (has_more && run->passage != PASSAGE_INSIDE)
		run_enter(execution, run);
	return true;
}

/* Follows @count branches, the oldest on top of @bits.  Returns how many it did
 * not come to; behind the last, run->to is BLOCK_NONE if it leads nowhere.
 */
RUN_INLINE unsigned int run_bits(struct execution *execution, struct run *run,
				 uint64_t bits, unsigned int count)
{
	unsigned int left = WALK_MOST_STRAIGHT;

	while (count) {
		const struct block *block = &run->blocks[run->to];
		bool is_taken = bits >> 63;

		if (__builtin_expect(block->kind == BLOCK_CONDITIONAL, 1)) {
			bits <<= 1;
			count--;
			run_along(run, block, is_taken);
		} else if (block->kind == BLOCK_CALL) {
			if (!run_has_room(execution, run, &left))
				break;
			run_call(execution, run, block);
		} else if (run_back(execution, run, block, is_taken)) {
			bits <<= 1;
			count--;
		} else if (is_taken && block->kind == BLOCK_RETURN) {
			bits <<= 1;
			count--;
			run_find_back(execution, run);
		} else if (!run_has_room(execution, run, &left) ||
			   !run_straight(execution, run, block)) {
			break;
		}
		if (__builtin_expect(run->passage == PASSAGE_INSIDE, 1))
			continue;
		if (!run_in(execution, run, count))
			break;
	}
	return count;
}

/* Runs up to an indirect branch or far transfer, which runs, too.  Returns false
 * if the code leads elsewhere.
 */
RUN_INLINE bool run_to_target(struct execution *execution, struct run *run)
{
	unsigned int left = WALK_MOST_STRAIGHT;
	const struct block *block;

	for (;;) {
		block = &run->blocks[run->to];
		if (!run_has_room(execution, run, &left))
			return false;
		if (block_takes_target(block->kind))
			break;
		if (block->kind == BLOCK_CALL)
			run_call(execution, run, block);
		else if (!run_straight(execution, run, block))
			return false;
		if (run->passage != PASSAGE_INSIDE &&
		    !run_in(execution, run, true))
			return false;
	}
	if (block->kind == BLOCK_INDIRECT_CALL)
		return_stack_push(&execution->returns, block->ip + block->bytes,
				  run->to);
	run_along(run, block, EDGE_TAKEN);
	return true;
}

RUN_INLINE void run_find_target(struct execution *execution, struct run *run,
				uint64_t address)
{
	run->to = block_graph_jump(execution->graph, run->from, address);
	execution->blocks = block_graph_blocks(execution->graph);
	run->blocks = execution->blocks;
	run->passage = run->blocks[run->from].passage[EDGE_TAKEN];
}

/* Goes from the branch that ran last to @address: nearly always to where it led
 * last, see block_graph_jump().
 */
RUN_INLINE void run_jump(struct execution *execution, struct run *run,
			 uint64_t address)
{
	const struct block *from = &run->blocks[run->from];
	const struct block *to = &run->blocks[run->to];
	bool is_other = from->kind != BLOCK_INDIRECT_CALL &&
			from->kind != BLOCK_INDIRECT_JUMP;

	if (to->ip != address || run->to == BLOCK_NONE ||
	    (to->is_user && !from->is_user))
		run_find_target(execution, run, address);
	/* What a return or a far transfer means depends on more. */
	if (is_other)
		run->passage = PASSAGE_OTHER;
}

#endif
