/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_run.h"
#include "common/error.h"
#include "execution/follow/follow_bits.h"
#include "execution/follow/follow_code.h"
#include "execution/follow/run_blocks.h"
#include "execution/follow/run_times.h"

/* Returns whether the loop can start: execution is at the target of the last
 * branch, and no mode, guest or pending target needs a check. Records of the
 * previous segment that wait (times.elsewhere) count against EVENT_TIMES_ROOM,
 * but the loop does not count them. Until they are finished, follow_branch()
 * follows, so that a segment calls event_times_flush() after the same branch as
 * the whole stream would.
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

/* Returns whether the loop can follow @branch from a block of @kind: bits or,
 * if the block can lead to an indirect branch, a target. The block must contain
 * code.
 */
RUN_INLINE bool is_usual(const struct trace_branch *branch, uint8_t kind)
{
	if (!branch->is_timed || kind == BLOCK_UNREAD || kind >= BLOCK_NO_CODE)
		return false;
	return branch->kind == TRACE_BITS ||
	       (branch->kind == TRACE_TARGET && branch->has_address &&
		kind != BLOCK_CONDITIONAL);
}

/* Like event_times_wants_more(), for the records of @run. */
RUN_INLINE bool wants_more(const struct execution *execution,
			   const struct run *run)
{
	const union timed_record *records = execution->times.records;

	return run->next < records + EVENT_TIMES_ENOUGH ||
	       (run->finished < records + EVENT_TIMES_ENOUGH &&
		run->next <= records + EVENT_TIMES_ROOM - EVENT_TIMES_SPARE);
}

/* Follows @branch. Returns whether the code leads where the trace says. */
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

/* Follows branches while the loop can. Returns the first branch that is not
 * consumed; if *@is_stuck, it is consumed in part.
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

/* Continues with the general code at a branch that the loop could not follow.
 */
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
