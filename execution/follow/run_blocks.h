/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RUN_BLOCKS_H
#define KT_EXECUTION_RUN_BLOCKS_H

#include "execution/follow/run.h"
#include "execution/walk/walk.h"

/* The engine's inner loop: all that is done for nearly each block that runs.
 * What can be known of an edge beforehand is found once, in its block.
 */

/* Execution is at another block, and there may be new ones. */
RUN_INLINE void run_go_on(const struct execution *execution, struct run *run,
			  uint32_t from)
{
	run->blocks = execution->blocks;
	run->from = &run->blocks[from];
	run->block = &run->blocks[execution->block];
	run->passage = execution->passage;
}

/* Nobody went along this edge before. */
RUN_INLINE void run_find_edge(struct execution *execution, struct run *run)
{
	uint32_t from = run_index(run, run->from);

	execution->block = from;
	walk_along(execution, run->edge);
	run_go_on(execution, run, from);
}

/* @run->block runs, which returns: to BLOCK_NONE if nothing says where. */
RUN_INLINE void run_find_back(struct execution *execution, struct run *run)
{
	uint32_t from = run_index(run, run->block);

	execution->block = from;
	run->work += run->block->work;
	run->edge = EDGE_TAKEN;
	/* Also where there is no way back. */
	execution->passage = PASSAGE_OTHER;
	if (!walk_back(execution))
		execution->block = BLOCK_NONE;
	run_go_on(execution, run, from);
}

/* Control came to another function, or may have. */
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

/* Goes along @way. */
RUN_INLINE void run_go(struct run *run, uint32_t way)
{
	run->block = block_at(run->blocks, way);
	run->passage = way & BLOCK_WAY_MASK;
}

/* @run->block runs, and control leaves it along @edge. */
RUN_INLINE void run_along(struct run *run, enum block_edge edge)
{
	const struct block *block = run->block;

	run->work += block->work;
	run->from = block;
	run->edge = edge;
	run_go(run, block->ways[edge]);
}

/* The same where it is likely that the function goes on: returns whether it does.
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

/* @run->block runs, which calls. */
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

/* Returns whether the jump @block leads to nothing but a return: the kernel's
 * __x86_return_thunk, which may be patched to be more.
 */
RUN_INLINE bool run_is_thunk_return(const struct run *run,
				    const struct block *block)
{
	return block_passes(block, EDGE_TAKEN, PASSAGE_THUNK_RETURN) &&
	       run->blocks[block_to(block, EDGE_TAKEN)].kind == BLOCK_RETURN;
}

/* @run->block runs if it returns from plain code to plain code, itself or by way
 * of a thunk.  Returns whether it does.
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

/* Returns whether a block may run that takes no trace, @left of which may. */
RUN_INLINE bool run_has_room(struct execution *execution, const struct run *run,
			     unsigned int *left)
{
	return (*left)-- && run->next <= execution->times.records +
						 EVENT_TIMES_ROOM -
						 RECORDS_AT_ONCE;
}

/* @run->block runs, if it takes no trace and is no call.  Returns whether it
 * does.
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

/* Goes where @run just went, which may be unknown, or another function.
 * Returns false if there is nothing to go to.
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

/* Follows @count branches, the oldest on top of @bits.  Returns how many it did
 * not come to; behind the last it may be at BLOCK_NONE, which leads nowhere.
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

/* Runs up to an indirect branch or far transfer, which runs, too.  Returns false
 * if the code leads elsewhere; *@by_thunk if it came to a return by a jump that
 * stands for it.
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

/* The return that began with a jump to a thunk is not over. */
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

/* Goes from the branch that ran last to @address: nearly always to where it led
 * last, see block_graph_jump().  @by_thunk as run_to_target() says.
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
	/* What a far transfer means depends on more, as returns may. */
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
