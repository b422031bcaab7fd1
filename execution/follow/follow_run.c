/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_run.h"
#include "common/error.h"
#include "execution/follow/follow_bits.h"
#include "execution/follow/follow_code.h"
#include "execution/follow/run_blocks.h"
#include "execution/follow/run_times.h"

/* Returns whether execution is where one branch leads to the next, with nothing
 * to look out for on the way.  A run counts only its own records against
 * EVENT_TIMES_ROOM: while records of the previous segment wait as well,
 * follow_branch() follows, so that event_times_flush() is called after the same
 * branch in a segment as in the whole stream.
 */
static bool is_usual_place(const struct execution *execution)
{
	return execution->at_branch && execution->block != BLOCK_NONE &&
	       !execution->lists_blocks && !execution->is_rebased &&
	       !execution->targets_ahead && !execution->guest &&
	       execution->set == execution->next_set &&
	       !execution->times.elsewhere &&
	       event_times_wants_more(&execution->times);
}

/* Returns whether @branch is one to follow from a block of @kind, which holds
 * code: a target if that may lead to one.
 */
RUN_INLINE bool is_usual(const struct trace_branch *branch, uint8_t kind)
{
	if (!branch->is_timed || kind == BLOCK_UNREAD || kind >= BLOCK_NO_CODE)
		return false;
	return branch->kind == TRACE_BITS ||
	       (branch->kind == TRACE_TARGET && branch->has_address &&
		kind != BLOCK_CONDITIONAL);
}

/* As event_times_wants_more(). */
RUN_INLINE bool wants_more(const struct execution *execution,
			   const struct run *run)
{
	const union timed_record *records = execution->times.records;

	return run->next < records + EVENT_TIMES_ENOUGH ||
	       (run->finished < records + EVENT_TIMES_ENOUGH &&
		run->next <= records + EVENT_TIMES_ROOM - EVENT_TIMES_SPARE);
}

/* Follows @branch.  Returns whether the code leads where it says. */
RUN_INLINE bool follow_one(struct execution *execution, struct run *run,
			   const struct trace_branch *branch)
{
	bool by_thunk;
	unsigned int left;

	run_expect(execution, run, branch);
	if (branch->kind == TRACE_BITS) {
		left = run_bits(execution, run,
				branch->payload << (64 - branch->count),
				branch->count);
		execution->bits_left = (uint8_t)left;
		if (left || run->block == run->blocks)
			return false;
		run_pass(execution, run, branch);
	} else {
		if (!run_to_target(execution, run, &by_thunk))
			return false;
		run_pass(execution, run, branch);
		run_jump(execution, run, branch->payload, by_thunk);
	}
	return true;
}

/* Follows branch by branch, as long as it can.  Returns the branch behind; if
 * *@is_stuck that was begun.
 */
RUN_INLINE const struct trace_branch *
follow_all(struct execution *execution, const struct trace_branch *first,
	   const struct trace_branch *end, bool *is_stuck)
{
	const struct trace_branch *branch = first;
	struct run run = run_of(execution);

	for (;;) {
		*is_stuck = !follow_one(execution, &run, branch);
		if (*is_stuck)
			break;
		branch++;
		if (branch == end || !wants_more(execution, &run) ||
		    execution->before.high >= execution->next_change ||
		    !is_usual(branch, run.block->kind))
			break;
		run_begin(execution, &run, branch - 1);
	}
	run_put_back(execution, &run, !*is_stuck);
	if (branch > first)
		moment_know(execution, branch - 1);
	return branch;
}

/* The code does not lead where the trace says. */
static void follow_stuck(struct execution *execution,
			 const struct trace_branch *branch,
			 const struct trace_branch *end, uint64_t position)
{
	const struct branch_range behind = { branch + 1, end };

	if (branch->kind == TRACE_BITS)
		follow_stuck_bits(execution, branch, &behind, position);
	else
		follow_stuck_target(execution, branch, position);
}

int follow_run(struct execution *execution, const struct trace_branch *branch,
	       const struct trace_branch *end, uint64_t position)
{
	const struct trace_branch *first = branch;
	bool is_stuck;

	if (!is_usual_place(execution) ||
	    !is_usual(branch, execution->blocks[execution->block].kind))
		return 0;
	moment_begin(execution);
	walk_arrive(execution);
	branch = follow_all(execution, branch, end, &is_stuck);
	if (is_stuck) {
		follow_stuck(execution, branch, end,
			     position + branch->position);
		branch++;
	}
	if (execution->before.high >= execution->next_change &&
	    follow_update_code(execution) < 0)
		return -ERROR_MEMORY;
	return (int)(branch - first);
}
