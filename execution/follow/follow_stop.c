/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_stop.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"
#include "execution/walk/walk.h"

/* Returns whether the instruction at @address is 0f @second, followed by @third
 * unless that is negative.
 */
static bool is_there(struct execution *execution, uint64_t address,
		     uint8_t second, int third)
{
	uint8_t bytes[3] = { 0 };
	size_t count = third < 0 ? 2 : 3;

	return address &&
	       code_space_copy(execution->code, address, bytes, count) ==
		       count &&
	       bytes[0] == 0x0f && bytes[1] == second &&
	       (third < 0 || bytes[2] == third);
}

static bool is_wrmsr(struct execution *execution, uint64_t address)
{
	return is_there(execution, address, 0x30, -1);
}

/* vmlaunch and vmresume. */
static bool is_machine_entry(struct execution *execution, uint64_t address)
{
	return is_there(execution, address, 0x01, 0xc2) ||
	       is_there(execution, address, 0x01, 0xc3);
}

/* Returns why tracing stopped. The kernel switches the unit off by writing an
 * MSR. Otherwise, an address in the packet is outside the filter (Intel SDM,
 * TIP.PGD packet); without an address, execution left for another privilege
 * level.
 */
static uint8_t stop_reason(struct execution *execution, uint64_t last_ip,
			   bool has_address)
{
	if (is_wrmsr(execution, last_ip))
		return FLOW_STOP_OFF;
	return has_address ? FLOW_STOP_FILTER : FLOW_STOP_LEVEL;
}

/* Runs up to a stop without an address. Its target is another privilege level,
 * which only a far transfer leads to. If there is none on the way, either only
 * one program is traced and another page table is set, or it is an erratum.
 */
static bool run_to_stop(struct execution *execution,
			const struct trace_branch *branch)
{
	struct sight sight = sight_of(execution, 0);

	if (branch->is_unsure && sight.to_outside)
		return walk_blocks(execution, sight.to_outside);
	if (sight_ends_at_target(execution, &sight))
		return walk_to_target(execution);
	if (sight.to_page_table)
		return walk_blocks(execution, sight.to_page_table);
	if (branch->is_unsure && sight.to_direct)
		return walk_blocks(execution, sight.to_direct);
	return walk_to_target(execution);
}

/* A guest that is not traced: the recording is of the host only. */
static void stop_in_machine(struct execution *execution)
{
	place_stop(execution, FLOW_STOP_GUEST, execution->machine);
	execution->guest = GUEST_HIDDEN;
}

void follow_stop(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position)
{
	uint8_t reason = stop_reason(execution, walk_last_ip(execution),
				     branch->has_address);
	bool has_run = true;

	moment_begin(execution);
	if (branch->has_address)
		has_run = walk_to_exit(execution, branch->payload);
	else if (reason == FLOW_STOP_LEVEL)
		has_run = run_to_stop(execution, branch);
	if (!has_run)
		place_fail(execution, position);
	moment_pass(execution, branch);
	moment_begin(execution);
	if (reason == FLOW_STOP_LEVEL &&
	    is_machine_entry(execution, walk_last_ip(execution)))
		stop_in_machine(execution);
	else
		place_stop(execution, reason, branch->payload);
}

/* An interrupt whose handler is not traced; or the kernel's wrmsr, which is
 * reported in the same way, after the instruction.
 */
void follow_stop_there(struct execution *execution,
		       const struct trace_branch *branch, uint64_t position)
{
	uint64_t at = execution->blocks[execution->block].ip;
	uint8_t reason;

	if (branch->is_unsure && is_machine_entry(execution, at)) {
		follow_stop(execution, branch, position);
		return;
	}
	reason = stop_reason(execution, walk_last_ip(execution),
			     branch->has_address);
	/* Some units report the address of the wrmsr itself, before it has run.
	 */
	if (reason != FLOW_STOP_OFF)
		reason = stop_reason(execution, at, branch->has_address);
	moment_begin(execution);
	moment_pass(execution, branch);
	moment_begin(execution);
	if (reason != FLOW_STOP_OFF)
		place_interrupt(execution);
	place_stop(execution, reason, branch->payload);
}
