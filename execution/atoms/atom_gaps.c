/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_gaps.h"
#include "decoder/code/code_space.h"
#include "execution/atoms/atom_cycles.h"
#include "execution/atoms/atom_times.h"
#include "execution/instruction/arm_instruction.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"

static void fill_gap(struct execution *execution, union timed_record *record,
		     const struct atom_gap *gap, uint64_t size)
{
	uint32_t lost = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;

	if (execution->lists_blocks) {
		record->item.kind = FLOW_GAP;
		record->item.detail = gap->reason & 0xf;
		record->item.ip = gap->position;
		record->item.last = lost;
		return;
	}
	record->event.kind = FUNCTION_GAP;
	record->event.detail = gap->reason;
	record->event.address = gap->position;
	record->event.lost_bytes = lost;
	execution_mark(execution, MARK_PAUSE);
}

/* The next position is known, but not the branch that led to it. */
static void forget_way(struct execution *execution)
{
	execution_forget_place(execution, EXIT_UNSEEN);
	execution->outside = false;
	execution->nmi_return = NO_NMI;
	execution->last_ip = 0;
	execution->atoms.is_running = false;
}

void atom_gaps_open(struct execution *execution, uint8_t reason,
		    uint64_t position)
{
	struct atom_gap *gap = &execution->atoms.gap;

	if (gap->is_open && gap->reason != reason)
		atom_gaps_close(execution, position);
	atom_times_after(execution);
	if (!gap->is_open)
		*gap = (struct atom_gap){
			.is_open = true,
			.reason = reason,
			.position = position,
			.low_ns = execution->atoms.bound_low_ns,
			.high_ns = execution->atoms.bound_high_ns,
		};
	execution->block = BLOCK_NONE;
	execution->atoms.told = BLOCK_NONE;
	execution->atoms.awaits_target = false;
	execution->atoms.is_running = false;
	atom_cycles_lose(execution);
}

/* How much ran in the gap, and for how long, is unknown. */
void atom_gaps_close(struct execution *execution, uint64_t position)
{
	struct atom_gap *gap = &execution->atoms.gap;
	uint64_t size = position > gap->position ? position - gap->position : 0;

	if (!gap->is_open)
		return;
	gap->is_open = false;
	atom_times_set_bounds(execution, gap->low_ns, gap->high_ns);
	fill_gap(execution, execution_add(execution), gap, size);
	execution->times.work += BLOCK_WORK_SLOW;
	forget_way(execution);
}

void atom_gaps_add(struct execution *execution, uint8_t reason,
		   uint64_t position)
{
	uint32_t block = execution->block;

	atom_gaps_open(execution, reason, position);
	atom_gaps_close(execution, position);
	execution->block = block;
}

void atom_gaps_stop(struct execution *execution, uint8_t reason)
{
	union timed_record *record;

	atom_times_after(execution);
	record = execution_add(execution);
	if (execution->lists_blocks) {
		record->item.kind = FLOW_STOP;
		record->item.detail = reason & 0xf;
	} else {
		record->event.kind = FUNCTION_TRACE_STOP;
		record->event.detail = reason;
	}
	execution->times.work += BLOCK_WORK_SLOW;
	place_leave(execution, reason);
	execution->atoms.awaits_target = false;
	execution->atoms.is_running = false;
}

/* MSR TRFCR_EL1, Xt: the driver of a trace buffer switches tracing off this way
 * while it handles a full buffer (Linux,
 * drivers/hwtracing/coresight/coresight-trbe.c).
 */
static bool writes_trfcr(uint32_t word)
{
	return (word & 0xffffffe0) == 0xd5181220;
}

/* Returns whether the next code does so before its first branch. */
static bool turns_off(struct execution *execution)
{
	const struct block *block = &execution->blocks[execution->block];
	uint8_t bytes[4];

	if (execution->block == BLOCK_NONE || !execution->atoms.is_expected ||
	    block_graph_info(execution->graph, execution->block)->set !=
		    INSTRUCTION_A64)
		return false;
	for (uint32_t at = 0; at < block->bytes; at += sizeof(bytes)) {
		if (code_space_copy(execution->code, block->ip + at, bytes,
				    sizeof(bytes)) < sizeof(bytes))
			return false;
		if (writes_trfcr(arm_word(bytes)))
			return true;
	}
	return false;
}

/* The target of a system call or a return from an exception is not traced; any
 * other stop not made by the kernel is a branch out of the filter's address
 * ranges.
 */
uint8_t atom_gaps_stop_reason(struct execution *execution)
{
	uint8_t exit = execution->exit;

	if (execution->passage == PASSAGE_OTHER &&
	    (exit == EXIT_ASYNC ||
	     (exit >= FLOW_EXIT_FAR_CALL && exit <= FLOW_EXIT_FAR_JUMP)))
		return FLOW_STOP_LEVEL;
	return turns_off(execution) ? FLOW_STOP_OFF : FLOW_STOP_FILTER;
}
