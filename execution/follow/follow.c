/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_internal.h"

#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "execution/atoms/follow_atoms.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"
#include "execution/walk/walk.h"

#include <stdbool.h>

/* Applies code changes up to @now_ns, or reverts later ones: see
 * walk_set_code().
 */
static int set_code(struct execution *execution, uint64_t now_ns)
{
	int status = walk_set_code(execution, now_ns);

	execution->changes.next = execution_ticks(
		execution, code_space_next_change_ns(execution->code));
	return status;
}

int follow_update_code(struct execution *execution)
{
	uint64_t next_ns = code_space_next_change_ns(execution->code);
	uint64_t now_ns = execution_guess_ns(execution);

	if (execution->changes.is_out_of_memory)
		return -ERROR_MEMORY;
	if (execution->changes.may_be_ahead ||
	    walk_is_code_due(execution, now_ns))
		return set_code(execution, now_ns);
	execution->changes.next = execution_ticks(execution, next_ns);
	return 0;
}

/* The time of a TSC packet is a little before or after that of its PSB. */
enum { SYNC_SLACK_NS = 100 };

/* Finds the process at the sync point with the time bounds
 * execution->sync.low_ns and high_ns, resets the evidence, and looks up a block
 * of user code again, because its address may belong to another program now.
 * Returns 0 or -ERROR_MEMORY.
 */
static int sync_code(struct execution *execution)
{
	uint64_t low_ns = execution->sync.low_ns;
	uint64_t high_ns = execution->sync.high_ns;
	int status = code_space_sync(
		execution->code,
		low_ns < SYNC_SLACK_NS ? 0 : low_ns - SYNC_SLACK_NS,
		high_ns > UINT64_MAX - SYNC_SLACK_NS ? high_ns :
						       high_ns + SYNC_SLACK_NS);
	uint32_t block = execution->block;

	execution->evidence = (struct user_evidence){
		.is_table_lost = execution->evidence.is_table_lost,
	};
	if (block != BLOCK_NONE && execution->blocks[block].is_user)
		execution->block =
			walk_find(execution, execution->blocks[block].ip);
	return status;
}

/* Places the sync point @branch among the switch records and changes of
 * mappings by its time bounds. Must be called at each sync point. Sets
 * execution->changes.is_out_of_memory on failure.
 */
static void follow_sync_code(struct execution *execution,
			     const struct trace_branch *branch)
{
	int status = 0;

	execution->sync.low_ns = execution_low_ns(execution, branch->low);
	execution->sync.high_ns = execution_high_ns(
		execution, branch->is_bound ? branch->low : branch->high);
	if (execution->changes.may_be_ahead)
		status = set_code(execution, execution->sync.low_ns);
	if (status < 0 || sync_code(execution) < 0)
		walk_run_out_of_memory(execution);
}

int follow_restore_code(struct execution *execution, uint64_t next_ns)
{
	int status;

	execution->changes.may_be_ahead = true;
	status = set_code(execution, next_ns - 1);
	return status < 0 ? status : sync_code(execution);
}

/* Returns the address of @branch, corrected if its base is wrong. A partial IP
 * in the trace has only low bits; the high bits are those of the previous IP.
 * After a damaged IP the ones completed from it are wrong, too. If the address
 * of a partial IP is not mapped, but the kernel has code at the same low 32
 * bits, returns that address and sets execution->has_wrong_ip_base, until an IP
 * is complete.
 *
 * All kernel code is in the last 4 GB.
 */
static uint64_t complete_ip(struct execution *execution,
			    const struct trace_branch *branch)
{
	uint64_t guess = branch->payload | (uint64_t)UINT32_MAX << 32;
	size_t left;

	if (!branch->is_partial)
		execution->has_wrong_ip_base = false;
	if (!branch->is_partial || !branch->has_address ||
	    code_space_is_mapped(execution->code, branch->payload) ||
	    !code_space_bytes(execution->code, guess, &left))
		return branch->payload;
	execution->has_wrong_ip_base = true;
	return guess;
}

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
	position_go(execution,
		    execution->has_wrong_ip_base ?
			    complete_ip(execution, target) :
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
			position_fail(execution, position);
			return;
		}
	} while (!walk_last_bits(execution, branch->payload,
				 execution->bits_left));
	execution_set_last_branch(execution, branch);
}

/* Follows @branch, a TRACE_BITS, from a known position. @behind are the
 * branches after it, to look for deferred targets. @position: of its packet, in
 * the stream's bytes.
 */
static void follow_bits(struct execution *execution,
			const struct trace_branch *branch,
			const struct branch_range *behind, uint64_t position)
{
	execution_begin_record(execution);
	if (walk_last_bits(execution, branch->payload, branch->count))
		execution_set_last_branch(execution, branch);
	else
		follow_stuck_bits(execution, branch, behind, position);
}

void follow_stuck_target(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position)
{
	position_fail(execution, position);
	if (branch->has_address)
		position_resume(execution, branch);
}

/* Follows @branch, a TRACE_TARGET, from a known position. */
static void follow_target(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	if (execution->targets_ahead) {
		execution->targets_ahead--;
		return;
	}
	execution_begin_record(execution);
	if (!walk_to_target(execution)) {
		follow_stuck_target(execution, branch, position);
		return;
	}
	execution_set_last_branch(execution, branch);
	if (!branch->has_address) {
		execution_begin_record(execution);
		position_stop(execution, FLOW_STOP_LEVEL, 0);
		return;
	}
	if (execution->sets.current == execution->sets.next)
		walk_jump(execution, branch->payload);
	else
		position_go(execution, branch->payload,
			    execution->blocks[execution->from].exit);
}

/* Lost trace, and the end of trace. Lost trace becomes a gap, after which the
 * time bounds are wider. @position: of the packet, in the stream's bytes.
 */

/* Follows a TRACE_OVERFLOW. */
static void follow_overflow(struct execution *execution,
			    const struct trace_branch *branch,
			    uint64_t position)
{
	walk_lose_page_table(execution);
	position_gap(execution, &(struct trace_gap){
					.reason = FLOW_GAP_OVERFLOW,
					.position = position,
				});
	execution_set_last_branch(execution, branch);
	execution_begin_record(execution);
	if (branch->has_address) {
		execution->is_lost = false;
		position_go(execution, branch->payload, EXIT_UNTRACED);
	} else {
		position_stop(execution, FLOW_STOP_LEVEL, 0);
		/* Some units do not report that tracing resumes. */
		execution->is_lost = true;
	}
}

static struct trace_gap gap_of(const struct trace_branch *branch,
			       uint64_t position)
{
	return (struct trace_gap){
		.reason = branch->count,
		.position = position,
		.lost_bytes = branch->payload,
	};
}

/* Follows a TRACE_GAP: trace that could not be read.
 *
 * Trace before the first sync point has no lower time bound.
 */
static void follow_unread(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	const struct trace_gap gap = gap_of(branch, position);

	walk_lose_page_table(execution);
	if (branch->count == FLOW_GAP_UNSYNCED)
		execution_forget_time(execution, branch->high);
	position_gap(execution, &gap);
}

/* Follows a TRACE_BREAK or TRACE_END.
 *
 * The current clock ends here. The gap after it gets the time of the last
 * record, without an upper bound.
 */
static void follow_break(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position)
{
	const struct trace_gap gap = gap_of(branch, position);
	struct event_times *times = &execution->times;

	walk_lose_page_table(execution);
	event_times_flush(times);
	if (branch->kind == TRACE_BREAK) {
		position_gap_at(
			execution,
			event_times_add(
				times,
				event_times_bound(
					times,
					execution_low_ns(
						execution,
						execution->bounds.before.low),
					UINT64_MAX)),
			&gap);
		event_times_flush(times);
	}
	execution_forget_time(execution, UINT64_MAX);
}

/* Returns the first three bytes of the instruction at @address, the first one
 * lowest; 0 for bytes that are not known.
 */
static uint32_t opcode_at(struct execution *execution, uint64_t address)
{
	uint8_t bytes[3] = { 0 };

	if (address)
		code_space_copy(execution->code, address, bytes, sizeof(bytes));
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
}

static bool is_wrmsr(struct execution *execution, uint64_t address)
{
	return (opcode_at(execution, address) & 0xffff) == 0x300f;
}

bool follow_is_switched_on(struct execution *execution,
			   const struct trace_branch *branch)
{
	return is_wrmsr(execution, branch->payload) ||
	       is_wrmsr(execution, branch->payload - 2);
}

/* Returns whether vmlaunch, vmresume or vmrun is at @address. No CPU with vmrun
 * has Intel PT, but the tests' virtual machine has both.
 */
static bool is_machine_entry(struct execution *execution, uint64_t address)
{
	uint32_t opcode = opcode_at(execution, address);

	return opcode == 0xc2010f || opcode == 0xc3010f || opcode == 0xd8010f;
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
	struct look_ahead ahead = look_ahead_of(execution, 0);

	if (branch->is_unsure && ahead.to_outside)
		return walk_blocks(execution, ahead.to_outside);
	if (look_ahead_ends_at_target(execution, &ahead))
		return walk_to_target(execution);
	if (ahead.to_page_table)
		return walk_blocks(execution, ahead.to_page_table);
	if (branch->is_unsure && ahead.to_direct)
		return walk_blocks(execution, ahead.to_direct);
	return walk_to_target(execution);
}

/* Stops at the entry of a guest that is not traced, as the recording is of the
 * host only.
 */
static void stop_in_machine(struct execution *execution)
{
	position_stop(execution, FLOW_STOP_GUEST, execution->guest.machine);
	execution->guest.state = GUEST_HIDDEN;
}

/* Follows @branch, a TRACE_STOP, from the known position execution->block.
 * @position: of its packet, in the stream's bytes.
 */
static void follow_stop(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	uint8_t reason = stop_reason(execution, walk_last_ip(execution),
				     branch->has_address);
	bool has_run = true;

	execution_begin_record(execution);
	if (branch->has_address)
		has_run = walk_to_exit(execution, branch->payload);
	else if (reason == FLOW_STOP_LEVEL)
		has_run = run_to_stop(execution, branch);
	if (!has_run)
		position_fail(execution, position);
	execution_set_last_branch(execution, branch);
	execution_begin_record(execution);
	if (reason == FLOW_STOP_LEVEL &&
	    is_machine_entry(execution, walk_last_ip(execution)))
		stop_in_machine(execution);
	else
		position_stop(execution, reason, branch->payload);
}

/* Follows @branch, a TRACE_STOP_THERE, from the known position where tracing
 * stopped.
 *
 * The reason is an interrupt whose handler is not traced; or the kernel's
 * wrmsr, which is reported in the same way, after the instruction.
 */
static void follow_stop_there(struct execution *execution,
			      const struct trace_branch *branch,
			      uint64_t position)
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
	execution_begin_record(execution);
	execution_set_last_branch(execution, branch);
	execution_begin_record(execution);
	if (reason != FLOW_STOP_OFF)
		position_interrupt(execution);
	position_stop(execution, reason, branch->payload);
}

/* Virtual machines on the traced CPU (Intel VMX). Trace of non-root operation
 * is of the guest's code, which a recording of the host does not contain: its
 * branches are consumed without following them. In the stream of events a guest
 * is one FLOW_STOP_GUEST, from the instruction that enters it to the start of
 * trace at the VM exit.
 *
 *	NONE ── TRACE_GUEST ──► ENTERING ── branch ──► INSIDE
 *	INSIDE ── TRACE_ADDRESS_SPACE ──► LEAVING ── branch ──► NONE
 *	NONE ── TRACE_STOP at VMLAUNCH, VMRESUME ──► HIDDEN ── TRACE_START ──► NONE
 *	all but NONE ── overflow ──► UNKNOWN ── PIP ──► INSIDE, or NONE
 *
 * 1. In INSIDE, LEAVING, HIDDEN and UNKNOWN no block is followed.
 * 2. A guest's addresses are never looked up in the host's code.
 *
 * A sync point that repeats the page table root determines the state, whatever
 * it was before. Without kernel trace (IA32_RTIT_CTL.OS is 0) there are no
 * PIPs, so user code of a guest cannot be distinguished from the host's.
 *
 * Source: Intel SDM, volume 3, "Intel Processor Trace", "Paging Information
 * Packet", "VMCS Packet" and "Tracing and VMX".
 */

/* Stops the trace of the host. @branch enters the guest; NULL if that branch
 * was not traced.
 */
static void stop_in_guest(struct execution *execution,
			  const struct trace_branch *branch)
{
	execution_begin_record(execution);
	if (branch) {
		execution_set_last_branch(execution, branch);
		execution_begin_record(execution);
	}
	position_stop(execution, FLOW_STOP_GUEST,
		      execution->guest.machine ? execution->guest.machine :
						 execution->guest.page_table);
	execution->guest.state = GUEST_INSIDE;
}

static void add_bad_trace_gap(struct execution *execution, uint64_t position)
{
	position_gap(execution, &(struct trace_gap){
					.reason = FLOW_GAP_BAD_TRACE,
					.position = position,
				});
}

/* Follows TRACE_GUEST in the state GUEST_NONE. */
static void follow_machine_entry(struct execution *execution,
				 const struct trace_branch *branch,
				 uint64_t position)
{
	execution->guest.page_table = branch->payload;
	if (execution->block != BLOCK_NONE && !branch->count) {
		execution->guest.state = GUEST_ENTERING;
		return;
	}
	/* A sync point inside a guest whose entry was not traced. */
	if (execution->block != BLOCK_NONE)
		add_bad_trace_gap(execution, position);
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
	execution_expect_branch(execution, branch);
	execution_begin_record(execution);
	if (!walk_to_target(execution))
		position_fail(execution, position);
	stop_in_guest(execution, branch);
	return true;
}

static void leave(struct execution *execution,
		  const struct trace_branch *branch)
{
	bool is_stop = branch->kind == TRACE_STOP ||
		       branch->kind == TRACE_STOP_THERE;

	execution_expect_branch(execution, branch);
	execution_set_last_branch(execution, branch);
	execution_begin_record(execution);
	execution->guest.state = GUEST_NONE;
	if (is_stop || !branch->has_address) {
		position_stop(execution,
			      branch->has_address ? FLOW_STOP_FILTER :
						    FLOW_STOP_LEVEL,
			      branch->payload);
		return;
	}
	if (execution->lists_blocks)
		execution_list_item(execution, FLOW_START, 0)->ip =
			branch->payload;
	execution_forget_source(execution, EXIT_GUEST);
	execution->is_lost = false;
	execution->is_off = false;
	execution->outside = false;
	position_go(execution, branch->payload, EXIT_GUEST);
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
		return_stack_clear(&execution->calls.returns);
	if (is_exit && execution->guest.state == GUEST_LEAVING)
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
		execution->guest.state = GUEST_NONE;
	return false;
}

static void set_page_table(struct execution *execution, uint64_t root)
{
	if (root == execution->page_table)
		return;
	execution->page_table = root;
	execution_list(execution, FLOW_ADDRESS_SPACE, 0, root);
}

/* Follows TRACE_ADDRESS_SPACE, which sets the host's page table root: the next
 * branch leaves the guest, or it was left untraced.
 */
static void follow_host(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	bool is_inside = execution->guest.state == GUEST_INSIDE ||
			 execution->guest.state == GUEST_LEAVING;

	set_page_table(execution, branch->payload);
	if (execution->guest.state == GUEST_HIDDEN)
		return;
	if (is_inside && !branch->count) {
		execution->guest.state = GUEST_LEAVING;
		return;
	}
	if (is_inside)
		add_bad_trace_gap(execution, position);
	execution->guest.state = GUEST_NONE;
}

static void follow_inside(struct execution *execution,
			  const struct trace_branch *branch)
{
	bool is_known = execution->guest.state == GUEST_INSIDE ||
			execution->guest.state == GUEST_LEAVING;

	execution->guest.page_table = branch->payload;
	if (is_known || execution->guest.state == GUEST_HIDDEN)
		execution->guest.state = GUEST_INSIDE;
	else if (execution->guest.state == GUEST_UNKNOWN)
		stop_in_guest(execution, NULL);
}

/* Follows an overflow inside a guest. The lost trace may have left the guest
 * and entered it again.
 */
static void lose(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position)
{
	execution_expect_branch(execution, branch);
	position_gap(execution, &(struct trace_gap){
					.reason = FLOW_GAP_OVERFLOW,
					.position = position,
				});
	execution_set_last_branch(execution, branch);
	execution->guest.state = GUEST_UNKNOWN;
}

/* Follows @branch in a state other than GUEST_NONE. Returns true if it is
 * consumed; otherwise it must be followed like a branch of the host.
 */
static bool follow_guest(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position)
{
	switch ((int)branch->kind) {
	case TRACE_MODE:
	case TRACE_MACHINE:
		return false;
	case TRACE_GAP:
	case TRACE_BREAK:
	case TRACE_END:
		execution->guest.state = GUEST_NONE;
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
	if (execution->guest.state == GUEST_ENTERING)
		return enter(execution, branch, position);
	if (execution->guest.state == GUEST_HIDDEN)
		return follow_hidden(execution, branch);
	return follow_flow(execution, branch);
}

/* Returns whether the last branch must have gone to @branch's address itself:
 * nothing ran since, and the code does not lead to the address.
 */
static bool went_there(struct execution *execution,
		       const struct trace_branch *branch)
{
	return branch->is_unsure && execution->bounds.at_branch &&
	       !look_ahead_of(execution, branch->payload).has_address;
}

static void reach(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position)
{
	execution_begin_record(execution);
	if (went_there(execution, branch)) {
		position_go(execution, branch->payload, execution->exit);
	} else if (!walk_to(execution, branch->payload)) {
		position_fail(execution, position);
		position_resume(execution, branch);
	}
}

static void follow_interrupt(struct execution *execution,
			     const struct trace_branch *branch)
{
	execution_begin_record(execution);
	execution_set_last_branch(execution, branch);
	execution_begin_record(execution);
	position_interrupt(execution);
	if (branch->has_address)
		position_go(execution, branch->payload, EXIT_ASYNC);
	else
		position_stop(execution, FLOW_STOP_LEVEL, 0);
}

/* Follows a start. If the position is known, trace is missing before it,
 * although no record marks a loss: the stop, and perhaps more.
 */
static void follow_start(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position)
{
	uint8_t exit = execution->outside ? EXIT_ENTRY : EXIT_START;

	if (execution->block != BLOCK_NONE)
		position_gap(execution, &(struct trace_gap){
						.reason = FLOW_GAP_BAD_TRACE,
						.position = position,
					});
	execution_set_last_branch(execution, branch);
	execution_begin_record(execution);
	if (execution->lists_blocks)
		execution_list_item(execution, FLOW_START, 0)->ip =
			branch->payload;
	execution_forget_source(execution, exit);
	execution->is_lost = false;
	execution->is_off = false;
	execution->outside = false;
	position_go(execution, branch->payload, exit);
}

/* Follows a sync point, at which the unit empties its return stack. */
static void follow_sync(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	return_stack_clear(&execution->calls.returns);
	execution->calls.untraced = 0;
	instruction_pace_sync(&execution->times.pace);
	follow_sync_code(execution, branch);
	if (execution->block != BLOCK_NONE) {
		if (execution->sets.next != execution->sets.current)
			position_gap(execution,
				     &(struct trace_gap){
					     .reason = FLOW_GAP_BAD_TRACE,
					     .position = position,
				     });
		return;
	}
	execution->evidence.is_synced = branch->is_bound;
	if (branch->has_address)
		position_resume(execution, branch);
	else
		execution->is_lost = false;
	execution->evidence.is_synced = false;
}

/* Follows a change of the page table root that no branch caused: runs up to the
 * instruction that sets it.
 */
static void run_to_page_table(struct execution *execution, uint64_t position)
{
	struct look_ahead ahead = look_ahead_of(execution, 0);

	if (ahead.to_page_table)
		walk_blocks(execution, ahead.to_page_table);
	else if (look_ahead_ends_in_void(execution, &ahead) &&
		 !walk_straight(execution))
		position_fail(execution, position);
}

static void follow_address_space(struct execution *execution,
				 const struct trace_branch *branch,
				 uint64_t position)
{
	if (!branch->is_bound && execution->block != BLOCK_NONE) {
		execution_begin_record(execution);
		run_to_page_table(execution, position);
	}
	if (branch->payload == execution->page_table) {
		walk_set_page_table(execution, branch->payload);
		return;
	}
	walk_set_page_table(execution, branch->payload);
	execution_list(execution, FLOW_ADDRESS_SPACE, 0, branch->payload);
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
		position_fail(execution, position);
	if (branch->kind == TRACE_STOP || branch->kind == TRACE_STOP_THERE) {
		execution_set_last_branch(execution, branch);
		execution_begin_record(execution);
		position_stop(execution, FLOW_STOP_LEVEL, 0);
	} else if (execution->is_lost && branch->has_address) {
		position_resume(execution, branch);
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
	execution_expect_branch(execution, next_timed(branch, behind));
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
		follow_start(execution, branch, position);
		break;
	case TRACE_OVERFLOW:
		follow_overflow(execution, branch, position);
		break;
	case TRACE_SYNC:
		follow_sync(execution, branch, position);
		break;
	case TRACE_MODE:
		execution->sets.next = set_of_mode(branch->payload);
		break;
	case TRACE_ADDRESS_SPACE:
		follow_address_space(execution, branch, position);
		break;
	case TRACE_GUEST:
		follow_machine_entry(execution, branch, position);
		break;
	case TRACE_MACHINE:
		execution->guest.machine = branch->payload;
		break;
	case TRACE_TRANSACTION:
		execution_list(execution, FLOW_TRANSACTION,
			       (uint8_t)branch->payload, 0);
		break;
	case TRACE_PTWRITE:
		execution_list(execution, FLOW_PTWRITE, 0, branch->payload);
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
	if (execution->bounds.before.high >= execution->changes.next)
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
	if (execution->guest.state && follow_guest(execution, branch, position))
		return 0;
	if (is_placed(execution) && !execution->has_wrong_ip_base)
		return follow(execution, branch, &behind, position);
	rebased = *branch;
	if (branch->has_address)
		rebased.payload = complete_ip(execution, branch);
	return follow(execution, &rebased, &behind, position);
}
