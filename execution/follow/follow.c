/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow.h"
#include "common/error.h"
#include "execution/atoms/follow_atoms.h"
#include "execution/follow/follow_bits.h"
#include "execution/follow/follow_code.h"
#include "execution/follow/follow_guest.h"
#include "execution/follow/follow_loss.h"
#include "execution/follow/follow_stop.h"
#include "execution/follow/rebase.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"
#include "execution/walk/walk.h"

/* Returns whether the last branch must have gone to @branch's address itself:
 * nothing ran since, and the code does not lead to the address.
 */
static bool went_there(struct execution *execution,
		       const struct trace_branch *branch)
{
	return branch->is_unsure && execution->at_branch &&
	       !sight_of(execution, branch->payload).has_address;
}

static void reach(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position)
{
	moment_begin(execution);
	if (went_there(execution, branch)) {
		place_go(execution, branch->payload, execution->exit);
	} else if (!walk_to(execution, branch->payload)) {
		place_fail(execution, position);
		place_resume(execution, branch);
	}
}

static void follow_interrupt(struct execution *execution,
			     const struct trace_branch *branch)
{
	moment_begin(execution);
	moment_pass(execution, branch);
	moment_begin(execution);
	place_interrupt(execution);
	if (branch->has_address)
		place_go(execution, branch->payload, EXIT_ASYNC);
	else
		place_stop(execution, FLOW_STOP_LEVEL, 0);
}

static void follow_start(struct execution *execution,
			 const struct trace_branch *branch)
{
	uint8_t exit = execution->outside ? EXIT_ENTRY : EXIT_START;

	moment_pass(execution, branch);
	moment_begin(execution);
	if (execution->lists_blocks)
		place_item(execution, FLOW_START, 0)->ip = branch->payload;
	execution_forget_place(execution, exit);
	execution->is_lost = false;
	execution->is_off = false;
	execution->outside = false;
	place_go(execution, branch->payload, exit);
}

/* The unit empties its return stack at a sync point. */
static void follow_sync(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	return_stack_clear(&execution->returns);
	execution->unseen_calls = 0;
	instruction_pace_sync(&execution->times.pace);
	follow_sync_code(execution, branch);
	if (execution->block != BLOCK_NONE) {
		if (execution->next_set != execution->set)
			place_gap(execution,
				  &(struct trace_gap){
					  .reason = FLOW_GAP_BAD_TRACE,
					  .position = position,
				  });
		return;
	}
	execution->evidence.is_synced = branch->is_bound;
	if (branch->has_address)
		place_resume(execution, branch);
	else
		execution->is_lost = false;
	execution->evidence.is_synced = false;
}

/* If no branch sets the page table root, an instruction on the way does. */
static void run_to_page_table(struct execution *execution, uint64_t position)
{
	struct sight sight = sight_of(execution, 0);

	if (sight.to_page_table)
		walk_blocks(execution, sight.to_page_table);
	else if (sight_ends_in_void(execution, &sight) &&
		 !walk_straight(execution))
		place_fail(execution, position);
}

static void follow_address_space(struct execution *execution,
				 const struct trace_branch *branch,
				 uint64_t position)
{
	if (!branch->is_bound && execution->block != BLOCK_NONE) {
		moment_begin(execution);
		run_to_page_table(execution, position);
	}
	if (branch->payload == execution->page_table) {
		walk_set_page_table(execution, branch->payload);
		return;
	}
	walk_set_page_table(execution, branch->payload);
	place_list(execution, FLOW_ADDRESS_SPACE, 0, branch->payload);
}

/* Follows @branch while the position is unknown: skips it unless it has an
 * address to resume at. A unit that was off and reports branches again was
 * switched on without a TRACE_START.
 */
static void follow_unplaced(struct execution *execution,
			    const struct trace_branch *branch,
			    uint64_t position)
{
	bool is_branch = branch->kind == TRACE_TARGET ||
			 branch->kind == TRACE_INTERRUPT ||
			 branch->kind == TRACE_BITS;

	if (execution->targets_ahead && branch->kind == TRACE_TARGET) {
		execution->targets_ahead--;
		return;
	}
	if (!execution->is_lost && is_branch)
		place_fail(execution, position);
	if (branch->kind == TRACE_STOP || branch->kind == TRACE_STOP_THERE) {
		moment_pass(execution, branch);
		moment_begin(execution);
		place_stop(execution, FLOW_STOP_LEVEL, 0);
	} else if (execution->is_lost && branch->has_address) {
		place_resume(execution, branch);
	}
}

static void follow_placed(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	switch ((int)branch->kind) {
	case TRACE_TARGET:
		follow_target(execution, branch, position);
		break;
	case TRACE_REACH:
		reach(execution, branch, position);
		break;
	case TRACE_INTERRUPT:
		follow_interrupt(execution, branch);
		break;
	case TRACE_STOP:
		follow_stop(execution, branch, position);
		break;
	case TRACE_STOP_THERE:
		follow_stop_there(execution, branch, position);
		break;
	default:
		break;
	}
}

/* A branch farther ahead would bound the time no better than @branch does. */
enum { MOST_AHEAD = 64 };

static const struct trace_branch *next_timed(const struct trace_branch *branch,
					     const struct branch_range *behind)
{
	const struct trace_branch *next = behind->next;
	const struct trace_branch *end = behind->end;

	if (branch->is_timed)
		return branch;
	if (end - next > MOST_AHEAD)
		end = next + MOST_AHEAD;
	for (; next < end; next++)
		if (next->is_timed)
			return next;
	return branch;
}

/* Returns whether the code at the position is known. */
static bool is_placed(const struct execution *execution)
{
	return execution->block != BLOCK_NONE &&
	       execution->blocks[execution->block].kind != BLOCK_NO_CODE;
}

static uint8_t set_of_mode(uint64_t mode)
{
	if (mode == 2)
		return INSTRUCTION_X86_64;
	return mode ? INSTRUCTION_X86_32 : INSTRUCTION_X86_16;
}

static int follow(struct execution *execution,
		  const struct trace_branch *branch,
		  const struct branch_range *behind, uint64_t position)
{
	moment_expect(execution, next_timed(branch, behind));
	switch ((enum trace_branch_kind)branch->kind) {
	case TRACE_BITS:
		if (execution->block != BLOCK_NONE)
			follow_bits(execution, branch, behind, position);
		else
			follow_unplaced(execution, branch, position);
		break;
	case TRACE_TARGET:
	case TRACE_REACH:
	case TRACE_INTERRUPT:
	case TRACE_STOP:
	case TRACE_STOP_THERE:
		if (execution->block == BLOCK_NONE)
			follow_unplaced(execution, branch, position);
		else
			follow_placed(execution, branch, position);
		break;
	case TRACE_START:
		follow_start(execution, branch);
		break;
	case TRACE_OVERFLOW:
		follow_overflow(execution, branch, position);
		break;
	case TRACE_SYNC:
		follow_sync(execution, branch, position);
		break;
	case TRACE_MODE:
		execution->next_set = set_of_mode(branch->payload);
		break;
	case TRACE_ADDRESS_SPACE:
		follow_address_space(execution, branch, position);
		break;
	case TRACE_GUEST:
		follow_machine_entry(execution, branch, position);
		break;
	case TRACE_MACHINE:
		execution->machine = branch->payload;
		break;
	case TRACE_TRANSACTION:
		place_list(execution, FLOW_TRANSACTION,
			   (uint8_t)branch->payload, 0);
		break;
	case TRACE_PTWRITE:
		place_list(execution, FLOW_PTWRITE, 0, branch->payload);
		break;
	case TRACE_GAP:
		follow_unread(execution, branch, position);
		break;
	case TRACE_BREAK:
	case TRACE_END:
		follow_break(execution, branch, position);
		break;
	case TRACE_ATOMS:
	case TRACE_ADDRESS:
	case TRACE_SOURCE:
	case TRACE_EXCEPTION:
	case TRACE_EXCEPTION_RETURN:
	case TRACE_ON:
	case TRACE_SESSION:
	case TRACE_SESSION_END:
	case TRACE_TIME:
	case TRACE_CYCLES:
	case TRACE_TASK:
		break;
	}
	if (execution->before.high >= execution->next_change)
		return follow_update_code(execution);
	return 0;
}

int follow_branch(struct execution *execution,
		  const struct trace_branch *branch,
		  const struct trace_branch *end, uint64_t position)
{
	const struct branch_range behind = { branch + 1, end };
	struct trace_branch rebased;

	if (execution->atoms.is_on)
		return follow_atoms(execution, branch, position);
	if (execution->guest && follow_guest(execution, branch, position))
		return 0;
	if (is_placed(execution) && !execution->is_rebased)
		return follow(execution, branch, &behind, position);
	rebased = *branch;
	if (branch->has_address)
		rebased.payload = rebase_address(execution, branch);
	return follow(execution, &rebased, &behind, position);
}
