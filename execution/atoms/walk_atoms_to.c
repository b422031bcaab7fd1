/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_range.h"
#include "execution/atoms/atom_step.h"
#include "execution/atoms/atom_times.h"
#include "execution/atoms/walk_atoms.h"
#include "execution/walk/walk.h"

/* Part of execution->block runs, up to the instruction at @address. */
static bool run_part(struct execution *execution, struct atom_range *range,
		     uint64_t address, uint64_t *last)
{
	uint32_t index = execution->block;
	uint32_t work;

	if (execution->blocks[index].ip == address)
		return true;
	work = block_graph_part(execution->graph, index, address, last);
	if (!work)
		return false;
	if (range)
		range->instructions += work & (BLOCK_WORK_SLOW - 1);
	execution->times.work += work;
	execution->last_ip = *last;
	execution->from = index;
	execution->set = block_graph_info(execution->graph, index)->set;
	execution->block = walk_find(execution, address);
	execution->passage = PASSAGE_INSIDE;
	execution->exit = FLOW_EXIT_NONE;
	return execution->block != BLOCK_NONE;
}

/* Runs on to @address; *@last: the last instruction on the way. */
static bool run_to(struct execution *execution, struct atom_range *range,
		   uint64_t address, uint64_t *last)
{
	for (int i = 0; i < WALK_MOST_STRAIGHT; i++) {
		const struct block *block = atom_step_block(execution);

		if (execution->block == BLOCK_NONE)
			return false;
		if (block->kind == BLOCK_UNREAD)
			block_graph_read(execution->graph, execution->block);
		if (address - block->ip < block->bytes || address == block->ip)
			return run_part(execution, range, address, last);
		if (block->kind != BLOCK_FALL && block->kind != BLOCK_FAR_CALL)
			return false;
		atom_step_run(execution, range);
		*last = atom_step_last(execution, execution->from);
		walk_along(execution, EDGE_NEXT);
		walk_arrive(execution);
	}
	return false;
}

/* Returns whether what ran last, up to @address, asks for an exception. */
static bool has_asked(const struct execution *execution, uint64_t address)
{
	return execution->blocks[execution->from].kind == BLOCK_FAR_CALL &&
	       atom_step_end(execution, execution->from) == address;
}

bool walk_atoms_to(struct execution *execution, uint64_t address, bool is_call)
{
	struct atom_range range = { 0 };
	uint64_t last = 0;
	bool is_there;

	if (execution->lists_blocks)
		range = atom_range_begin(execution);
	walk_arrive(execution);
	atom_times_go_on(execution);
	is_there = run_to(execution, &range, address, &last);
	is_call = is_call && is_there && has_asked(execution, address);
	if (is_call) {
		execution->passage = PASSAGE_OTHER;
		execution->exit = FLOW_EXIT_FAR_CALL;
	}
	if (range.item && range.instructions)
		atom_range_end(&range, last,
			       is_call ? FLOW_EXIT_FAR_CALL : FLOW_EXIT_NONE,
			       address - last);
	else if (range.item)
		atom_range_drop(execution);
	return is_there;
}

bool walk_atoms_source(struct execution *execution, uint64_t address)
{
	struct atom_range range = { 0 };
	struct atom_range *listed = execution->lists_blocks ? &range : NULL;

	if (listed)
		range = atom_range_begin(execution);
	walk_arrive(execution);
	atom_times_go_on(execution);
	for (int i = 0; i < WALK_MOST_STRAIGHT; i++) {
		if (!atom_step_straight(execution, listed))
			break;
		if (atom_step_last(execution, execution->block) == address)
			return atom_step_leave(execution, listed, true);
		if (atom_step_block(execution)->kind != BLOCK_CONDITIONAL)
			break;
		atom_step_run(execution, listed);
		walk_along(execution, EDGE_NEXT);
		walk_arrive(execution);
	}
	if (listed)
		atom_range_exception(execution, listed);
	return false;
}
