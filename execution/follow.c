/* SPDX-License-Identifier: MIT */
#include "execution/follow.h"
#include "common/error.h"
#include "execution/code_space.h"
#include "execution/moment.h"
#include "execution/walk.h"

void execution_mark(struct execution *execution, enum event_mark_kind kind)
{
	execution->marks[execution->mark_count++] = (struct event_mark){
		.index = (uint32_t)execution->times.count,
		.kind = (uint8_t)kind,
	};
}

static uint8_t gap_reason(const struct execution *execution)
{
	if (execution->block == BLOCK_NONE)
		return FLOW_GAP_BAD_TRACE;
	switch ((enum block_kind)execution->blocks[execution->block].kind) {
	case BLOCK_NO_CODE:
		return FLOW_GAP_NO_CODE;
	case BLOCK_CODE_CHANGED:
		return FLOW_GAP_CODE_CHANGED;
	case BLOCK_UNKNOWN:
		return FLOW_GAP_UNKNOWN_CODE;
	default:
		return FLOW_GAP_BAD_TRACE;
	}
}

static struct flow_item *add_item(struct execution *execution, uint8_t kind,
				  uint8_t detail)
{
	struct flow_item *item = &execution_add(execution)->item;

	item->kind = kind;
	item->detail = detail & 0xf;
	return item;
}

/* A stretch of trace that is missing or cannot be followed. */
struct trace_gap {
	uint8_t reason;		/* enum flow_gap_reason */
	uint64_t position;	/* in the stream's bytes, where it begins */
	uint64_t lost_bytes;	/* 0 if unknown */
};

/* How much ran, and for how long, is unknown. */
static void lose_place(struct execution *execution)
{
	execution->times.work += BLOCK_WORK_SLOW;
	execution_forget_place(execution, EXIT_UNSEEN);
	return_stack_clear(&execution->returns);
	execution->outside = false;
	execution->nmi_return = NO_NMI;
	execution->block = BLOCK_NONE;
	execution->is_lost = true;
	execution->is_off = false;
	execution->last_ip = 0;
}

static void follow_gap_at(struct execution *execution, union timed_record *record,
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
	lose_place(execution);
}

static void follow_gap(struct execution *execution, const struct trace_gap *gap)
{
	moment_begin(execution);
	follow_gap_at(execution, execution_add(execution), gap);
}

/* Goes to @address by what the trace says. */
static void go_to(struct execution *execution, uint64_t address, uint8_t exit)
{
	execution->set = execution->next_set;
	execution->block = walk_find(execution, address);
	execution->passage = PASSAGE_OTHER;
	execution->exit = exit;
}

static void stop(struct execution *execution, uint8_t reason, uint64_t address)
{
	if (execution->lists_blocks) {
		add_item(execution, FLOW_STOP, reason)->ip = address;
	} else {
		struct function_event *event =
			&execution_add(execution)->event;

		event->kind = FUNCTION_TRACE_STOP;
		event->detail = reason;
	}
	execution_forget_place(execution, EXIT_UNSEEN);
	execution->block = BLOCK_NONE;
	execution->is_lost = false;
	execution->is_off = reason == FLOW_STOP_OFF;
	execution->outside = reason == FLOW_STOP_LEVEL;
	if (execution->outside)
		execution->nmi_return = NO_NMI;
	/* Kernel entry and exit do not switch: it is still to come. */
	if (!execution->outside && execution->nmi_return == NO_NMI &&
	    !execution->lists_blocks)
		execution_mark(execution, MARK_PAUSE);
}

/* Goes on at @address although how it came there is unknown. */
static void resume(struct execution *execution,
		   const struct trace_branch *branch)
{
	execution->is_lost = false;
	moment_resume(execution, branch);
	execution_forget_place(execution, EXIT_UNSEEN);
	go_to(execution, branch->payload, EXIT_UNSEEN);
}

static void fail(struct execution *execution, uint64_t position)
{
	follow_gap(execution, &(struct trace_gap){
				      .reason = gap_reason(execution),
				      .position = position,
			      });
}

static void follow_bits(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	uint64_t bits = branch->payload << (64 - branch->count);

	moment_begin(execution);
	if (walk_bits(execution, bits, branch->count))
		moment_pass(execution, branch);
	else
		fail(execution, position);
}

static void follow_target(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	moment_begin(execution);
	if (!walk_to_target(execution)) {
		fail(execution, position);
		if (branch->has_address)
			resume(execution, branch);
		return;
	}
	moment_pass(execution, branch);
	if (!branch->has_address) {
		moment_begin(execution);
		stop(execution, FLOW_STOP_LEVEL, 0);
		return;
	}
	go_to(execution, branch->payload,
	      execution->blocks[execution->from].exit);
}

static void reach(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position)
{
	moment_begin(execution);
	if (walk_to(execution, branch->payload))
		return;
	fail(execution, position);
	resume(execution, branch);
}

/* What ran last led to what is interrupted: unless nothing is known of it. */
static void interrupt(struct execution *execution)
{
	uint64_t address = execution->blocks[execution->block].ip;

	if (execution->passage != PASSAGE_OTHER ||
	    execution->exit != EXIT_UNSEEN) {
		walk_arrive(execution);
		execution->last_ip = walk_last_ip(execution);
		execution->from = execution->block;
	}
	execution->return_address = address;
	if (execution->lists_blocks)
		add_item(execution, FLOW_ASYNC, 0)->ip = address;
}

static void follow_interrupt(struct execution *execution,
			     const struct trace_branch *branch)
{
	moment_begin(execution);
	moment_pass(execution, branch);
	moment_begin(execution);
	interrupt(execution);
	if (branch->has_address)
		go_to(execution, branch->payload, EXIT_ASYNC);
	else
		stop(execution, FLOW_STOP_LEVEL, 0);
}

static bool is_wrmsr(struct execution *execution, uint64_t address)
{
	uint8_t bytes[2];

	return address &&
	       code_space_copy(execution->code, address, bytes,
			       sizeof(bytes)) == sizeof(bytes) &&
	       bytes[0] == 0x0f && bytes[1] == 0x30;
}

/* The kernel switches the unit off by writing an MSR.  Otherwise an address
 * that is told lies outside the filter (Intel SDM, TIP.PGD packet).  The rest
 * goes to another privilege level.
 */
static uint8_t stop_reason(struct execution *execution, uint64_t last_ip,
			   bool has_address)
{
	if (is_wrmsr(execution, last_ip))
		return FLOW_STOP_OFF;
	return has_address ? FLOW_STOP_FILTER : FLOW_STOP_LEVEL;
}

static void follow_stop(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	uint8_t reason = stop_reason(execution, walk_last_ip(execution),
				     branch->has_address);
	bool has_run = true;

	moment_begin(execution);
	if (branch->has_address)
		has_run = walk_to_exit(execution, branch->payload);
	else if (reason == FLOW_STOP_LEVEL)
		has_run = walk_to_target(execution);
	if (!has_run)
		fail(execution, position);
	moment_pass(execution, branch);
	moment_begin(execution);
	stop(execution, reason, branch->payload);
}

/* An interrupt whose handler is not traced, or the kernel's wrmsr, which is
 * traced in the same way: behind the instruction, not as its branch.
 */
static void follow_stop_there(struct execution *execution,
			      const struct trace_branch *branch)
{
	uint64_t at = execution->blocks[execution->block].ip;
	uint8_t reason = stop_reason(execution, walk_last_ip(execution),
				     branch->has_address);

	/* Some units name the wrmsr itself, before it has run. */
	if (reason != FLOW_STOP_OFF)
		reason = stop_reason(execution, at, branch->has_address);
	moment_begin(execution);
	moment_pass(execution, branch);
	moment_begin(execution);
	if (reason != FLOW_STOP_OFF)
		interrupt(execution);
	stop(execution, reason, branch->payload);
}

static void follow_start(struct execution *execution,
			 const struct trace_branch *branch)
{
	uint8_t exit = execution->outside ? EXIT_ENTRY : EXIT_START;

	moment_pass(execution, branch);
	moment_begin(execution);
	if (execution->lists_blocks)
		add_item(execution, FLOW_START, 0)->ip = branch->payload;
	execution_forget_place(execution, exit);
	execution->is_lost = false;
	execution->is_off = false;
	execution->outside = false;
	go_to(execution, branch->payload, exit);
}

static void follow_overflow(struct execution *execution,
			    const struct trace_branch *branch,
			    uint64_t position)
{
	follow_gap(execution, &(struct trace_gap){
				      .reason = FLOW_GAP_OVERFLOW,
				      .position = position,
			      });
	moment_pass(execution, branch);
	moment_begin(execution);
	if (branch->has_address) {
		execution->is_lost = false;
		go_to(execution, branch->payload, EXIT_UNSEEN);
	} else {
		stop(execution, FLOW_STOP_LEVEL, 0);
	}
}

/* The unit's own stack of calls is empty at a synchronisation point. */
static void follow_sync(struct execution *execution,
			const struct trace_branch *branch)
{
	return_stack_clear(&execution->returns);
	instruction_pace_sync(&execution->times.pace);
	if (execution->block != BLOCK_NONE)
		return;
	if (branch->has_address)
		resume(execution, branch);
	else
		execution->is_lost = false;
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

/* What comes before the first synchronisation point has no begin. */
static void follow_unread(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	const struct trace_gap gap = gap_of(branch, position);

	if (branch->count == FLOW_GAP_UNSYNCED) {
		execution->before = (struct moment){ .high = branch->high };
		execution->at_branch = false;
		execution->has_bounds = false;
	}
	follow_gap(execution, &gap);
}

/* The clock so far ends: the gap behind begins no earlier than the last
 * record.
 */
static void follow_break(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position)
{
	const struct trace_gap gap = gap_of(branch, position);
	struct event_times *times = &execution->times;

	event_times_settle(times);
	if (branch->kind == TRACE_BREAK) {
		follow_gap_at(execution,
			      event_times_add(times, times->last_ns,
					      UINT64_MAX),
			      &gap);
		event_times_settle(times);
	}
	execution->before = (struct moment){ .high = UINT64_MAX };
	execution->at_branch = false;
	execution->has_bounds = false;
}

static enum instruction_set set_of_mode(uint64_t mode)
{
	if (mode == 2)
		return INSTRUCTION_X86_64;
	return mode ? INSTRUCTION_X86_32 : INSTRUCTION_X86_16;
}

/* What only lists of blocks show. */
static void list_event(struct execution *execution, uint8_t kind,
		       uint8_t detail, uint64_t payload)
{
	if (!execution->lists_blocks)
		return;
	moment_begin(execution);
	add_item(execution, kind, detail)->ip = payload;
}

static void follow_mode(struct execution *execution, uint64_t mode)
{
	execution->next_set = (uint8_t)set_of_mode(mode);
	if (mode == execution->listed_mode)
		return;
	execution->listed_mode = mode;
	list_event(execution, FLOW_MODE, (uint8_t)mode, 0);
}

static void follow_address_space(struct execution *execution, uint64_t root)
{
	if (root == execution->page_table)
		return;
	execution->page_table = root;
	list_event(execution, FLOW_ADDRESS_SPACE, 0, root);
}

/* Where execution is not known, what follows from that is not either. */
static void follow_unplaced(struct execution *execution,
			    const struct trace_branch *branch)
{
	bool has_place = branch->has_address &&
			 (branch->kind == TRACE_TARGET ||
			  branch->kind == TRACE_INTERRUPT ||
			  branch->kind == TRACE_REACH);

	if (execution->is_lost && has_place) {
		resume(execution, branch);
	} else if (branch->kind == TRACE_STOP ||
		   branch->kind == TRACE_STOP_THERE) {
		moment_pass(execution, branch);
		moment_begin(execution);
		stop(execution, FLOW_STOP_LEVEL, 0);
	}
}

static void follow_placed(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	switch ((enum trace_branch_kind)branch->kind) {
	case TRACE_BITS:
		follow_bits(execution, branch, position);
		break;
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
		follow_stop_there(execution, branch);
		break;
	default:
		break;
	}
}

static void forget_code(void *ctx, uint64_t first, uint64_t end)
{
	struct execution *execution = ctx;

	block_graph_forget(execution->graph, first, end);
}

int follow_update_code(struct execution *execution)
{
	uint64_t next_ns = code_space_next_change_ns(execution->code);
	uint64_t now_ns = moment_guess_ns(execution);
	uint32_t index = execution->block;

	if (now_ns >= next_ns) {
		if (code_space_advance(execution->code, now_ns, forget_code,
				       execution) < 0)
			return -ERROR_MEMORY;
		next_ns = code_space_next_change_ns(execution->code);
		/* What is about to run may be another program's. */
		if (index != BLOCK_NONE)
			execution->block = walk_find(
				execution, execution->blocks[index].ip);
	}
	execution->next_change = moment_ticks(execution, next_ns);
	return 0;
}

/* One that is farther off would bound the time no better than @branch does. */
enum { MOST_AHEAD = 64 };

static const struct trace_branch *next_timed(const struct trace_branch *branch,
					     const struct trace_branch *end)
{
	if (end - branch > MOST_AHEAD)
		end = branch + MOST_AHEAD;
	for (const struct trace_branch *next = branch; next < end; next++)
		if (next->is_timed)
			return next;
	return branch;
}

int follow_branch(struct execution *execution,
		  const struct trace_branch *branch,
		  const struct trace_branch *end, uint64_t position)
{
	moment_expect(execution, next_timed(branch, end));
	switch ((enum trace_branch_kind)branch->kind) {
	case TRACE_BITS:
	case TRACE_TARGET:
	case TRACE_REACH:
	case TRACE_INTERRUPT:
	case TRACE_STOP:
	case TRACE_STOP_THERE:
		if (execution->block == BLOCK_NONE)
			follow_unplaced(execution, branch);
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
		follow_sync(execution, branch);
		break;
	case TRACE_MODE:
		follow_mode(execution, branch->payload);
		break;
	case TRACE_ADDRESS_SPACE:
		follow_address_space(execution, branch->payload);
		break;
	case TRACE_TRANSACTION:
		list_event(execution, FLOW_TRANSACTION,
			   (uint8_t)branch->payload, 0);
		break;
	case TRACE_PTWRITE:
		list_event(execution, FLOW_PTWRITE, 0, branch->payload);
		break;
	case TRACE_GAP:
		follow_unread(execution, branch, position);
		break;
	case TRACE_BREAK:
	case TRACE_END:
		follow_break(execution, branch, position);
		break;
	}
	if (execution->before.high >= execution->next_change)
		return follow_update_code(execution);
	return 0;
}
