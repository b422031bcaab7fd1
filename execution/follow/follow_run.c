/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_run.h"
#include "common/error.h"
#include "execution/follow/follow.h"
#include "execution/walk/moment.h"
#include "execution/walk/place.h"
#include "execution/walk/walk.h"

/* The unit may hold back the targets of indirect branches until the bits of
 * those behind them fill a packet (Intel SDM, "Deferred TIPs").
 */
static bool follow_deferred(struct execution *execution,
			    const struct trace_branch *next,
			    const struct trace_branch *end)
{
	const struct trace_branch *target = next + execution->targets_ahead;
	uint32_t block = execution->block;

	if (!block_takes_target(execution->blocks[block].kind) ||
	    target >= end || target->kind != TRACE_TARGET ||
	    !target->has_address || !walk_to_target(execution))
		return false;
	execution->targets_ahead++;
	place_go(execution, target->payload, execution->blocks[block].exit);
	return true;
}

void follow_bits(struct execution *execution, const struct trace_branch *branch,
		 const struct trace_branch *end, uint64_t position)
{
	uint64_t bits = branch->payload << (64 - branch->count);
	unsigned int left = branch->count;

	moment_begin(execution);
	while (!walk_bits(execution, bits, left)) {
		bits <<= left - execution->bits_left;
		left = execution->bits_left;
		if (!follow_deferred(execution, branch + 1, end)) {
			place_fail(execution, position);
			return;
		}
	}
	moment_pass(execution, branch);
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
		place_fail(execution, position);
		if (branch->has_address)
			place_resume(execution, branch);
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

/* Returns whether execution is where one branch leads to the next, with nothing
 * to look out for on the way.
 */
static inline bool is_usual_place(const struct execution *execution)
{
	return execution->block != BLOCK_NONE &&
	       execution->blocks[execution->block].kind != BLOCK_NO_CODE &&
	       !execution->is_rebased && !execution->targets_ahead &&
	       execution->set == execution->next_set;
}

static inline bool is_usual(const struct trace_branch *branch)
{
	return branch->is_timed &&
	       (branch->kind == TRACE_BITS ||
		(branch->kind == TRACE_TARGET && branch->has_address));
}

int follow_run(struct execution *execution, const struct trace_branch *branch,
	       const struct trace_branch *end, uint64_t position)
{
	const struct trace_branch *first = branch;

	for (; branch < end && is_usual(branch) && is_usual_place(execution) &&
	       event_times_wants_more(&execution->times);
	     branch++) {
		moment_expect(execution, branch);
		if (branch->kind == TRACE_BITS)
			follow_bits(execution, branch, end,
				    position + branch->position);
		else
			follow_target(execution, branch,
				      position + branch->position);
		if (execution->before.high >= execution->next_change &&
		    follow_update_code(execution) < 0)
			return -ERROR_MEMORY;
	}
	return (int)(branch - first);
}
