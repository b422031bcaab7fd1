/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RUN_BLOCKS_H
#define KT_EXECUTION_RUN_BLOCKS_H

#include "execution/follow/run.h"
#include "execution/walk/walk.h"

/* The engine's inner loop: everything that is done for nearly every block that
 * runs. Facts that depend on an edge alone are computed once and stored in its
 * block (block.h).
 */

/* Updates @run to the position of @execution after a function that may have
 * added blocks; @from is the index of the block that ran.
 */
RUN_INLINE void run_go_on(const struct execution *execution, struct run *run,
			  uint32_t from)
{
	run->blocks = execution->blocks;
	run->from = &run->blocks[from];
	run->block = &run->blocks[execution->block];
	run->passage = execution->passage;
}

/* Finds the target of @run->edge, which is taken for the first time. */
RUN_INLINE void run_find_edge(struct execution *execution, struct run *run)
{
	uint32_t from = run_index(run, run->from);

	execution->block = from;
	walk_along(execution, run->edge);
	run_go_on(execution, run, from);
}

/* Runs @run->block, which ends in a return, and goes to the return address of
 * the innermost call; to BLOCK_NONE if there is none.
 */
RUN_INLINE void run_find_back(struct execution *execution, struct run *run)
{
	uint32_t from = run_index(run, run->block);

	execution->block = from;
	run->work += run->block->work;
	run->edge = EDGE_TAKEN;
	/* This also holds if there is no such call. */
	execution->passage = PASSAGE_OTHER;
	if (!walk_back(execution))
		execution->block = BLOCK_NONE;
	run_go_on(execution, run, from);
}

/* Emits the events of an edge that leads to another function, or may. */
RUN_INLINE void run_enter(struct execution *execution, struct run *run)
{
	uint64_t ip = run->block->ip;

	if (run->passage == PASSAGE_RETURN)
		run_put(run, run->bounds, FUNCTION_RETURN, ip);
	else if (run->passage == PASSAGE_TAIL_CALL)
		run_put(run, run->bounds, FUNCTION_TAIL_CALL, ip);
	else if (!run_fold(execution, run))
		run_arrive(execution, run, false);
	run->passage = PASSAGE_INSIDE;
}

/* Goes to the target of edge @way. */
RUN_INLINE void run_go(struct run *run, uint32_t way)
{
	run->block = block_at(run->blocks, way);
	run->passage = way & BLOCK_WAY_MASK;
}

/* Runs @run->block and goes along @edge. */
RUN_INLINE void run_along(struct run *run, enum block_edge edge)
{
	const struct block *block = run->block;

	run->work += block->work;
	run->from = block;
	run->edge = edge;
	run_go(run, block->ways[edge]);
}

/* Like run_along(), but for an edge that probably stays in the function.
 * Returns whether it does.
 */
RUN_INLINE bool run_inside(struct run *run, enum block_edge edge)
{
	const struct block *block = run->block;
	uint32_t way = block->ways[edge];

	run->work += block->work;
	run->from = block;
	run->edge = edge;
	if (__builtin_expect(way & BLOCK_WAY_MASK, 0)) {
		run_go(run, way);
		return false;
	}
	run->block = block_inside(run->blocks, way);
	run->passage = PASSAGE_INSIDE;
	return true;
}

/* Runs @run->block, which ends in a direct call, and goes to its target. */
RUN_INLINE void run_call(struct execution *execution, struct run *run)
{
	uint64_t return_address = run->block->ip + run->block->bytes;

	return_stack_push(&execution->returns, return_address,
			  run_index(run, run->block));
	run_along(run, EDGE_TAKEN);
	if (run->passage != PASSAGE_CALL)
		return;
	run_put(run, run->bounds, FUNCTION_CALL, return_address);
	run->passage = PASSAGE_INSIDE;
}

/* Returns whether the jump at the end of @block leads to a block that only
 * returns: the kernel's __x86_return_thunk, which may be patched to do more.
 */
RUN_INLINE bool run_is_thunk_return(const struct run *run,
				    const struct block *block)
{
	return block_passes(block, EDGE_TAKEN, PASSAGE_THUNK_RETURN) &&
	       run->blocks[block_to(block, EDGE_TAKEN)].kind == BLOCK_RETURN;
}

/* Runs @run->block if it ends in a return from plain code to plain code,
 * directly or through a thunk. Returns whether it did.
 */
RUN_INLINE bool run_back(struct execution *execution, struct run *run,
			 bool is_taken)
{
	bool is_return = block_passes(run->block, EDGE_TAKEN, PASSAGE_RETURN);
	const struct block *call;

	if (!is_return && !run_is_thunk_return(run, run->block))
		return false;
	call = &run->blocks[return_stack_top(&execution->returns)];
	if (!block_passes(call, EDGE_NEXT, PASSAGE_RETURN) || !is_taken)
		return false;
	if (!is_return)
		run_along(run, EDGE_TAKEN);
	run_along(run, EDGE_TAKEN);
	run_go(run, call->ways[EDGE_NEXT]);
	return_stack_drop(&execution->returns);
	return true;
}

/* Returns whether another block may run that needs no trace, and counts it in
 * *@left, the number of such blocks allowed.
 */
RUN_INLINE bool run_has_room(struct execution *execution, const struct run *run,
			     unsigned int *left)
{
	return (*left)-- && run->next <= execution->times.records +
						 EVENT_TIMES_ROOM -
						 RECORDS_AT_ONCE;
}

/* Runs @run->block and goes on, if it needs no trace and is no call. Returns
 * whether the loop may continue: the block ran, or was read again.
 */
RUN_INLINE bool run_straight(struct execution *execution, struct run *run)
{
	switch ((int)run->block->kind) {
	case BLOCK_JUMP:
		run_along(run, EDGE_TAKEN);
		return true;
	case BLOCK_FALL:
		run_along(run, EDGE_NEXT);
		return true;
	case BLOCK_UNREAD:
		block_graph_read(execution->graph, run_index(run, run->block));
		return true;
	default:
		return false;
	}
}

/* Completes the edge that @run just took, which may be new or lead to another
 * function. Its events are not emitted if the branches end here:
 * run_arrive_there() does that. Returns false if its target is unknown.
 */
RUN_INLINE bool run_in(struct execution *execution, struct run *run,
		       bool has_more)
{
	if (run->passage == PASSAGE_NEW)
		run_find_edge(execution, run);
	if (run->block == run->blocks)
		return false;
	if (has_more && run->passage != PASSAGE_INSIDE)
		run_enter(execution, run);
	return true;
}

/* Follows @count branches, the oldest in the highest bit of @bits. Returns the
 * number of branches not consumed. After the last one, @run->block may be
 * BLOCK_NONE: its target is unknown.
 */
RUN_INLINE unsigned int run_bits(struct execution *execution, struct run *run,
				 uint64_t bits, unsigned int count)
{
	unsigned int left = WALK_MOST_STRAIGHT;

	while (count) {
		uint8_t kind = run->block->kind;
		bool is_taken = bits >> 63;

		if (__builtin_expect(kind == BLOCK_CONDITIONAL, 1)) {
			bits <<= 1;
			count--;
			if (run_inside(run, is_taken))
				continue;
		} else if (kind == BLOCK_CALL) {
			if (!run_has_room(execution, run, &left))
				break;
			run_call(execution, run);
		} else if (run_back(execution, run, is_taken)) {
			bits <<= 1;
			count--;
		} else if (is_taken && kind == BLOCK_RETURN) {
			bits <<= 1;
			count--;
			run_find_back(execution, run);
		} else if (!run_has_room(execution, run, &left) ||
			   !run_straight(execution, run)) {
			break;
		}
		if (__builtin_expect(run->passage == PASSAGE_INSIDE, 1))
			continue;
		if (!run_in(execution, run, count))
			break;
	}
	return count;
}

/* Runs up to and including the next indirect branch or far transfer. Returns
 * false if the code leads elsewhere. Sets *@by_thunk if that is a return in a
 * thunk which a jump led to.
 */
RUN_INLINE bool run_to_target(struct execution *execution, struct run *run,
			      bool *by_thunk)
{
	unsigned int left = WALK_MOST_STRAIGHT;

	*by_thunk = false;
	for (;;) {
		if (!run_has_room(execution, run, &left))
			return false;
		if (block_takes_target(run->block->kind))
			break;
		if (run->block->kind == BLOCK_CALL)
			run_call(execution, run);
		else if (!run_straight(execution, run))
			return false;
		if (run->passage == PASSAGE_INSIDE)
			continue;
		if (run->passage == PASSAGE_THUNK_RETURN &&
		    run->block->kind == BLOCK_RETURN) {
			*by_thunk = true;
			break;
		}
		if (!run_in(execution, run, true))
			return false;
	}
	if (run->block->kind == BLOCK_INDIRECT_CALL)
		return_stack_push(&execution->returns,
				  run->block->ip + run->block->bytes,
				  run_index(run, run->block));
	run_along(run, EDGE_TAKEN);
	return true;
}

/* Remembers that a return, which began with a jump to a thunk, has not left the
 * thunks yet.
 */
RUN_INLINE void run_stay_in_thunk(struct execution *execution)
{
	execution->fold.active = true;
	execution->fold.exit = FLOW_EXIT_RETURN;
}

RUN_INLINE void run_find_target(struct execution *execution, struct run *run,
				uint64_t address)
{
	uint32_t from = run_index(run, run->from);
	uint32_t way;

	if (walk_enters_user(execution, from, address))
		walk_enter_user(execution, address);
	way = block_graph_jump(execution->graph, from, address);

	execution->blocks = block_graph_blocks(execution->graph);
	run->blocks = execution->blocks;
	run->from = &run->blocks[from];
	run_go(run, way);
}

/* Goes from the branch that ran last to @address: nearly always its previous
 * target, see block_graph_jump(). @by_thunk is as for run_to_target().
 */
RUN_INLINE void run_jump(struct execution *execution, struct run *run,
			 uint64_t address, bool by_thunk)
{
	const struct block *to = run->block;

	if (to->ip != address || to == run->blocks ||
	    (to->is_user && !run->from->is_user))
		run_find_target(execution, run, address);
	if (run->from->kind == BLOCK_INDIRECT_CALL ||
	    run->from->kind == BLOCK_INDIRECT_JUMP)
		return;
	/* The effect of a far transfer depends on more than its edge, and that
	 * of a return may.
	 */
	if (run->from->kind == BLOCK_RETURN &&
	    block_returned(by_thunk || run->from->is_plain, run->block) ==
		    PASSAGE_RETURN) {
		run->passage = PASSAGE_RETURN;
		return;
	}
	if (by_thunk)
		run_stay_in_thunk(execution);
	if (run->passage != PASSAGE_FROM_THUNK)
		run->passage = PASSAGE_OTHER;
}

#endif
