/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_guest.h"
#include "decoder/flow/flow.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"
#include "execution/walk/walk.h"

/* Stops the trace of the host. @branch enters the guest; NULL if that branch
 * was not traced.
 */
static void stop_in_guest(struct execution *execution,
			  const struct trace_branch *branch)
{
	moment_begin(execution);
	if (branch) {
		moment_pass(execution, branch);
		moment_begin(execution);
	}
	place_stop(execution, FLOW_STOP_GUEST,
		   execution->machine ? execution->machine :
					execution->guest_page_table);
	execution->guest = GUEST_INSIDE;
}

static void say_bad_trace(struct execution *execution, uint64_t position)
{
	place_gap(execution, &(struct trace_gap){
				     .reason = FLOW_GAP_BAD_TRACE,
				     .position = position,
			     });
}

void follow_machine_entry(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	execution->guest_page_table = branch->payload;
	if (execution->block != BLOCK_NONE && !branch->count) {
		execution->guest = GUEST_ENTERING;
		return;
	}
	/* A sync point inside a guest whose entry was not traced. */
	if (execution->block != BLOCK_NONE)
		say_bad_trace(execution, position);
	stop_in_guest(execution, NULL);
}

/* Runs the host's code up to and including the instruction that enters the
 * guest.
 */
static bool enter(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position)
{
	if (branch->kind == TRACE_BITS || branch->kind == TRACE_REACH ||
	    execution->targets_ahead)
		return false;
	moment_expect(execution, branch);
	moment_begin(execution);
	if (!walk_to_target(execution))
		place_fail(execution, position);
	stop_in_guest(execution, branch);
	return true;
}

static void leave(struct execution *execution,
		  const struct trace_branch *branch)
{
	bool is_stop = branch->kind == TRACE_STOP ||
		       branch->kind == TRACE_STOP_THERE;

	moment_expect(execution, branch);
	moment_pass(execution, branch);
	moment_begin(execution);
	execution->guest = GUEST_NONE;
	if (is_stop || !branch->has_address) {
		place_stop(execution,
			   branch->has_address ? FLOW_STOP_FILTER :
						 FLOW_STOP_LEVEL,
			   branch->payload);
		return;
	}
	if (execution->lists_blocks)
		place_item(execution, FLOW_START, 0)->ip = branch->payload;
	execution_forget_place(execution, EXIT_GUEST);
	execution->is_lost = false;
	execution->is_off = false;
	execution->outside = false;
	place_go(execution, branch->payload, EXIT_GUEST);
}

/* Consumes branches of a guest. A sync point still resets the return stack and
 * the rate of time, but its address is the guest's.
 */
static bool follow_flow(struct execution *execution,
			const struct trace_branch *branch)
{
	bool is_exit = branch->kind == TRACE_TARGET ||
		       branch->kind == TRACE_INTERRUPT ||
		       branch->kind == TRACE_START ||
		       branch->kind == TRACE_STOP ||
		       branch->kind == TRACE_STOP_THERE;

	if (branch->kind == TRACE_SYNC)
		instruction_pace_sync(&execution->times.pace);
	if (branch->kind == TRACE_SYNC)
		return_stack_clear(&execution->returns);
	if (is_exit && execution->guest == GUEST_LEAVING)
		leave(execution, branch);
	return true;
}

/* Follows @branch in GUEST_HIDDEN, where the trace unit is off. Returns whether
 * it is consumed.
 */
static bool follow_hidden(struct execution *execution,
			  const struct trace_branch *branch)
{
	if (branch->kind == TRACE_START) {
		leave(execution, branch);
		return true;
	}
	if (branch->kind != TRACE_SYNC || branch->has_address)
		execution->guest = GUEST_NONE;
	return false;
}

static void set_page_table(struct execution *execution, uint64_t root)
{
	if (root == execution->page_table)
		return;
	execution->page_table = root;
	place_list(execution, FLOW_ADDRESS_SPACE, 0, root);
}

/* Follows TRACE_ADDRESS_SPACE, which sets the host's page table root: the next
 * branch leaves the guest, or it was left untraced.
 */
static void follow_host(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	bool is_inside = execution->guest == GUEST_INSIDE ||
			 execution->guest == GUEST_LEAVING;

	set_page_table(execution, branch->payload);
	if (execution->guest == GUEST_HIDDEN)
		return;
	if (is_inside && !branch->count) {
		execution->guest = GUEST_LEAVING;
		return;
	}
	if (is_inside)
		say_bad_trace(execution, position);
	execution->guest = GUEST_NONE;
}

static void follow_inside(struct execution *execution,
			  const struct trace_branch *branch)
{
	bool is_known = execution->guest == GUEST_INSIDE ||
			execution->guest == GUEST_LEAVING;

	execution->guest_page_table = branch->payload;
	if (is_known || execution->guest == GUEST_HIDDEN)
		execution->guest = GUEST_INSIDE;
	else if (execution->guest == GUEST_UNKNOWN)
		stop_in_guest(execution, NULL);
}

/* Follows an overflow inside a guest. The lost trace may have left the guest
 * and entered it again.
 */
static void lose(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position)
{
	moment_expect(execution, branch);
	place_gap(execution, &(struct trace_gap){
				     .reason = FLOW_GAP_OVERFLOW,
				     .position = position,
			     });
	moment_pass(execution, branch);
	execution->guest = GUEST_UNKNOWN;
}

bool follow_guest(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position)
{
	switch ((int)branch->kind) {
	case TRACE_MODE:
	case TRACE_MACHINE:
		return false;
	case TRACE_GAP:
	case TRACE_BREAK:
	case TRACE_END:
		execution->guest = GUEST_NONE;
		return false;
	case TRACE_GUEST:
		follow_inside(execution, branch);
		return true;
	case TRACE_ADDRESS_SPACE:
		follow_host(execution, branch, position);
		return true;
	case TRACE_OVERFLOW:
		lose(execution, branch, position);
		return true;
	default:
		break;
	}
	if (execution->guest == GUEST_ENTERING)
		return enter(execution, branch, position);
	if (execution->guest == GUEST_HIDDEN)
		return follow_hidden(execution, branch);
	return follow_flow(execution, branch);
}
