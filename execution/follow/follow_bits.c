/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_bits.h"
#include "execution/follow/rebase.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"
#include "execution/walk/walk.h"

/* Consumes the target of the indirect branch at the position, if it is the next
 * TRACE_TARGET. The unit may write targets late, after the bits of branches
 * that follow, until those fill a packet (Intel SDM, "Deferred TIPs").
 */
static bool follow_deferred(struct execution *execution,
			    const struct branch_range *behind)
{
	const struct trace_branch *target =
		behind->next + execution->targets_ahead;
	uint32_t block = execution->block;

	if (!block_takes_target(execution->blocks[block].kind) ||
	    target >= behind->end || target->kind != TRACE_TARGET ||
	    !target->has_address || !walk_to_target(execution))
		return false;
	execution->targets_ahead++;
	place_go(execution,
		 execution->is_rebased ? rebase_address(execution, target) :
					 target->payload,
		 execution->blocks[block].exit);
	return true;
}

static bool walk_last_bits(struct execution *execution, uint64_t bits,
			   unsigned int count)
{
	return walk_bits(execution, bits << (64 - count), count);
}

void follow_stuck_bits(struct execution *execution,
		       const struct trace_branch *branch,
		       const struct branch_range *behind, uint64_t position)
{
	do {
		if (!follow_deferred(execution, behind)) {
			place_fail(execution, position);
			return;
		}
	} while (!walk_last_bits(execution, branch->payload,
				 execution->bits_left));
	moment_pass(execution, branch);
}

void follow_bits(struct execution *execution, const struct trace_branch *branch,
		 const struct branch_range *behind, uint64_t position)
{
	moment_begin(execution);
	if (walk_last_bits(execution, branch->payload, branch->count))
		moment_pass(execution, branch);
	else
		follow_stuck_bits(execution, branch, behind, position);
}

void follow_stuck_target(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position)
{
	place_fail(execution, position);
	if (branch->has_address)
		place_resume(execution, branch);
}

void follow_target(struct execution *execution,
		   const struct trace_branch *branch, uint64_t position)
{
	if (execution->targets_ahead) {
		execution->targets_ahead--;
		return;
	}
	moment_begin(execution);
	if (!walk_to_target(execution)) {
		follow_stuck_target(execution, branch, position);
		return;
	}
	moment_pass(execution, branch);
	if (!branch->has_address) {
		moment_begin(execution);
		place_stop(execution, FLOW_STOP_LEVEL, 0);
		return;
	}
	if (execution->set == execution->next_set)
		walk_jump(execution, branch->payload);
	else
		place_go(execution, branch->payload,
			 execution->blocks[execution->from].exit);
}
