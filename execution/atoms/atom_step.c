/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_step.h"
#include "execution/atoms/atom_range.h"
#include "execution/atoms/walk_atoms.h"
#include "execution/walk/walk.h"

void atom_step_run(struct execution *execution, struct atom_range *range)
{
	const struct block *block = atom_step_block(execution);

	if (range)
		range->instructions += block_work_instructions(block->work);
	execution->times.work += block->work;
	execution->last_ip = 0;
	execution->from = execution->block;
}

void atom_step_await(struct execution *execution, uint32_t from)
{
	if (execution->blocks[from].kind == BLOCK_INDIRECT_CALL)
		atom_step_push(execution, from);
	execution->block = BLOCK_NONE;
	execution->exit = execution->blocks[from].exit;
	execution->passage = PASSAGE_OTHER;
	execution->atoms.awaits_target = true;
	execution->atoms.pops_target = execution->atoms.has_returns;
}

static uint8_t passage_back(const struct execution *execution)
{
	return block_returned(execution->blocks[execution->from].is_plain,
			      &execution->blocks[execution->block]);
}

void walk_atoms_jump(struct execution *execution, uint64_t address)
{
	uint8_t exit = execution->exit;

	execution->atoms.awaits_target = false;
	if (block_graph_info(execution->graph, execution->from)->set ==
	    execution->set) {
		walk_jump(execution, address);
		/* The exit may have been corrected meanwhile. */
		execution->exit = exit;
	} else {
		execution->block = walk_find(execution, address);
		execution->passage = PASSAGE_OTHER;
	}
	if (execution->block != BLOCK_NONE && exit == FLOW_EXIT_RETURN)
		execution->passage = passage_back(execution);
}

bool walk_atoms_back(struct execution *execution)
{
	uint64_t address;
	uint32_t caller;

	if (!return_stack_pop(&execution->returns, &address, &caller))
		return false;
	if (caller != BLOCK_NONE)
		execution->set =
			block_graph_info(execution->graph, caller)->set;
	walk_atoms_jump(execution, address);
	return execution->block != BLOCK_NONE;
}

bool atom_step_straight(struct execution *execution, struct atom_range *range)
{
	for (int i = 0; i < WALK_MOST_STRAIGHT; i++) {
		if (execution->block == BLOCK_NONE)
			return false;
		switch ((enum block_kind)atom_step_block(execution)->kind) {
		case BLOCK_UNREAD:
			block_graph_read(execution->graph, execution->block);
			break;
		case BLOCK_FALL:
		case BLOCK_FAR_CALL:
			atom_step_run(execution, range);
			walk_along(execution, EDGE_NEXT);
			walk_arrive(execution);
			break;
		case BLOCK_CONDITIONAL:
		case BLOCK_JUMP:
		case BLOCK_CALL:
		case BLOCK_RETURN:
		case BLOCK_INDIRECT_JUMP:
		case BLOCK_INDIRECT_CALL:
		case BLOCK_FAR_RETURN:
			return true;
		case BLOCK_FAR_JUMP:
		case BLOCK_NO_CODE:
		case BLOCK_CODE_CHANGED:
		case BLOCK_UNKNOWN:
		case BLOCK_GENERATED:
			return false;
		}
	}
	return false;
}

/* Returns a list's exit of a block whose branch is of @exit. */
static uint8_t exit_of(uint8_t exit, uint8_t kind, bool is_taken)
{
	if (is_taken || kind == BLOCK_CONDITIONAL)
		return exit;
	/* A conditional call or indirect branch that is not executed does
	 * nothing.
	 */
	return kind == BLOCK_JUMP && exit == FLOW_EXIT_JUMP ?
		       FLOW_EXIT_CONDITIONAL :
		       FLOW_EXIT_NONE;
}

/* Steps over the branch at the end of execution->block, which was not taken. A
 * call's EDGE_NEXT is the return from it.
 */
static bool pass_by(struct execution *execution)
{
	bool is_there = walk_along(execution, EDGE_NEXT);

	execution->passage = PASSAGE_INSIDE;
	return is_there;
}

bool atom_step_leave(struct execution *execution, struct atom_range *range,
		     bool is_taken)
{
	uint32_t index = execution->block;
	uint64_t last = atom_step_last(execution, index);
	uint8_t kind = atom_step_block(execution)->kind;
	uint8_t exit = atom_step_block(execution)->exit;

	atom_step_run(execution, range);
	if (range)
		atom_range_end(range, last, exit_of(exit, kind, is_taken),
			       atom_step_end(execution, index) - last);
	if (!is_taken || exit == FLOW_EXIT_NONE)
		return pass_by(execution);
	if (kind == BLOCK_CALL)
		atom_step_push(execution, index);
	if (kind == BLOCK_CALL || kind == BLOCK_CONDITIONAL ||
	    kind == BLOCK_JUMP)
		return walk_along(execution, EDGE_TAKEN);
	atom_step_await(execution, index);
	return true;
}
