/* SPDX-License-Identifier: MIT */
#include "execution/walk/position.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

/* Returns why the target of the last branch is unknown: for a return, because
 * its call was in code that could not be followed.
 */
static uint8_t nowhere_reason(const struct execution *execution)
{
	if (execution->calls.untraced && execution->from != BLOCK_NONE &&
	    execution->blocks[execution->from].kind == BLOCK_RETURN)
		return execution->calls.untraced;
	return FLOW_GAP_BAD_TRACE;
}

static uint8_t gap_reason(const struct execution *execution)
{
	if (execution->block == BLOCK_NONE)
		return nowhere_reason(execution);
	switch ((int)execution->blocks[execution->block].kind) {
	case BLOCK_NO_CODE:
		return FLOW_GAP_NO_CODE;
	case BLOCK_CODE_CHANGED:
		return FLOW_GAP_CODE_CHANGED;
	case BLOCK_UNKNOWN:
		return FLOW_GAP_UNKNOWN_CODE;
	case BLOCK_GENERATED:
		return FLOW_GAP_GENERATED;
	default:
		return FLOW_GAP_BAD_TRACE;
	}
}

struct flow_item *execution_list_item(struct execution *execution, uint8_t kind,
				      uint8_t detail)
{
	struct flow_item *item = &execution_add(execution)->item;

	item->kind = kind;
	item->detail = detail & 0xf;
	return item;
}

/* Sets the position to unknown: execution continues untraced. The untraced
 * execution may have taken any time, so it counts as slow work.
 */
static void position_lose(struct execution *execution)
{
	execution->times.work += BLOCK_WORK_SLOW;
	walk_lose_switches(execution);
	execution_forget_source(execution, EXIT_UNTRACED);
	return_stack_clear(&execution->calls.returns);
	execution->outside = false;
	execution->calls.nmi_return = NO_NMI;
	execution->block = BLOCK_NONE;
	execution->is_lost = true;
	execution->is_off = false;
	execution->last_ip = 0;
}

static uint8_t mode_of_set(uint8_t set)
{
	if (set == INSTRUCTION_X86_64)
		return 2;
	return set == INSTRUCTION_X86_32;
}

void execution_list(struct execution *execution, uint8_t kind, uint8_t detail,
		    uint64_t payload)
{
	if (!execution->lists_blocks)
		return;
	execution_begin_record(execution);
	execution_list_item(execution, kind, detail)->ip = payload;
}

static void begin_set(struct execution *execution)
{
	execution->sets.current = execution->sets.next;
	if (execution->sets.listed == execution->sets.current)
		return;
	execution->sets.listed = execution->sets.current;
	execution_list(execution, FLOW_MODE,
		       mode_of_set(execution->sets.current), 0);
}

void position_go(struct execution *execution, uint64_t address, uint8_t exit)
{
	begin_set(execution);
	if (walk_enters_user(execution, execution->from, address))
		walk_enter_user(execution, address);
	execution->block = walk_find(execution, address);
	execution->edge_kind = EDGE_KIND_OTHER;
	execution->exit = exit;
}

/* Returns whether the kernel is not traced, so that switch points are untraced.
 * Arm's trace units report tasks themselves.
 */
static bool is_kernel_untraced(const struct execution *execution)
{
	return !execution->counts_switches && !execution->atoms.is_on;
}

void position_leave(struct execution *execution, uint8_t reason)
{
	execution_forget_source(execution, EXIT_UNTRACED);
	walk_lose_switches(execution);
	execution->block = BLOCK_NONE;
	execution->outside = reason == FLOW_STOP_LEVEL;
	if (execution->outside)
		execution->calls.nmi_return = NO_NMI;
	if (!execution->outside)
		walk_lose_page_table(execution);
	/* Entering or leaving the kernel or a virtual machine does not switch
	 * tasks: a later record reports the switch. If the kernel is not
	 * traced, it may switch them after any stop.
	 */
	if ((!execution->outside || is_kernel_untraced(execution)) &&
	    reason != FLOW_STOP_GUEST &&
	    execution->calls.nmi_return == NO_NMI && !execution->lists_blocks)
		execution_mark(execution, MARK_PAUSE);
}

void position_stop(struct execution *execution, uint8_t reason,
		   uint64_t address)
{
	if (execution->lists_blocks) {
		execution_list_item(execution, FLOW_STOP, reason)->ip = address;
	} else {
		struct function_event *event = &execution_add(execution)->event;

		event->kind = FUNCTION_TRACE_STOP;
		event->detail = reason;
		event->address = reason == FLOW_STOP_GUEST ? address : 0;
	}
	position_leave(execution, reason);
	execution->is_lost = false;
	execution->is_off = reason == FLOW_STOP_OFF;
}

void position_resume(struct execution *execution,
		     const struct trace_branch *branch)
{
	execution->is_lost = false;
	execution_resume_time(execution, branch);
	execution_forget_source(execution, EXIT_UNTRACED);
	position_go(execution, branch->payload, EXIT_UNTRACED);
}

/* Returns whether execution->block ends in a branch whose direction or target
 * must be in the trace.
 */
static bool is_asked(const struct execution *execution)
{
	uint8_t kind;

	if (execution->block == BLOCK_NONE)
		return false;
	kind = execution->blocks[execution->block].kind;
	return kind == BLOCK_CONDITIONAL || block_takes_target(kind);
}

static bool is_of_code(uint8_t reason)
{
	return reason == FLOW_GAP_NO_CODE || reason == FLOW_GAP_CODE_CHANGED ||
	       reason == FLOW_GAP_UNKNOWN_CODE || reason == FLOW_GAP_GENERATED;
}

void position_gap_at(struct execution *execution, union timed_record *record,
		     const struct trace_gap *gap)
{
	uint64_t lost = gap->lost_bytes > UINT32_MAX ? UINT32_MAX :
						       gap->lost_bytes;

	if (execution->lists_blocks) {
		record->item.kind = FLOW_GAP;
		record->item.detail = gap->reason & 0xf;
		record->item.ip = gap->position;
		record->item.last = (uint32_t)lost;
	} else {
		record->event.kind = FUNCTION_GAP;
		record->event.detail = gap->reason;
		record->event.address = gap->position;
		record->event.lost_bytes = (uint32_t)lost;
		execution_mark(execution, MARK_PAUSE);
	}
	if (is_of_code(gap->reason))
		execution->calls.untraced = gap->reason;
	position_lose(execution);
}

void position_gap(struct execution *execution, const struct trace_gap *gap)
{
	execution_begin_record(execution);
	position_gap_at(execution, execution_add(execution), gap);
}

/* If the trace lacks the target of the next branch, that branch has run
 * nevertheless.
 */
void position_fail(struct execution *execution, uint64_t position)
{
	uint8_t reason = gap_reason(execution);

	if (is_asked(execution))
		walk_run(execution);
	position_gap(execution, &(struct trace_gap){
					.reason = reason,
					.position = position,
				});
}

/* The last branch arrived at the interrupted block, unless its source is
 * unknown.
 */
void position_interrupt(struct execution *execution)
{
	uint64_t address = execution->blocks[execution->block].ip;

	if (execution->edge_kind != EDGE_KIND_OTHER ||
	    execution->exit != EXIT_UNTRACED) {
		walk_arrive(execution);
		execution->last_ip = walk_last_ip(execution);
		execution->from = execution->block;
	}
	execution->calls.return_address = address;
	if (execution->lists_blocks)
		execution_list_item(execution, FLOW_ASYNC, 0)->ip = address;
}
