/* SPDX-License-Identifier: MIT */
#include "execution/atoms/walk_atoms.h"
#include "execution/atoms/atom_range.h"
#include "execution/atoms/atom_step.h"
#include "execution/atoms/atom_times.h"
#include "execution/walk/walk.h"

/* A step along the graph, once its direction is decided. */
struct step {
	uint32_t from;
	uint32_t to;
	uint8_t passage;
	uint8_t exit;
};

/* Stores @step for the slower functions. */
static void place(struct execution *execution, const struct step *step,
		  uint64_t work)
{
	execution->from = step->from;
	execution->block = step->to;
	execution->passage = step->passage;
	execution->exit = step->exit;
	execution->times.work = work;
	execution->last_ip = 0;
}

/* Finds the target of @edge, which is new, with the slower functions. */
static bool find_way(struct execution *execution, struct step *step,
		     enum block_edge edge)
{
	execution->block = step->from;
	if (!walk_along(execution, edge))
		return false;
	step->to = execution->block;
	step->passage = execution->passage;
	step->exit = execution->exit;
	return true;
}

/* Returns false if the target is unknown: no other atom follows, or it is a
 * return without a call.
 */
static bool find_target(struct execution *execution, struct step *step,
			uint64_t work, bool is_last)
{
	execution->from = step->from;
	execution->times.work = work;
	execution->last_ip = 0;
	atom_step_await(execution, step->from);
	if (is_last || !execution->atoms.pops_target ||
	    !walk_atoms_back(execution))
		return false;
	step->to = execution->block;
	step->passage = execution->passage;
	step->exit = execution->exit;
	return true;
}

/* Returns the number of branches left. */
static unsigned int lose(struct execution *execution, struct step *step,
			 uint64_t work, unsigned int count)
{
	step->passage = PASSAGE_INSIDE;
	place(execution, step, work);
	return count;
}

static void arrive(struct execution *execution, struct step *step,
		   uint64_t work)
{
	place(execution, step, work);
	atom_times_stamp_record(execution, work);
	execution_arrive(execution);
	step->passage = PASSAGE_INSIDE;
}

/* The inner loop: all work for each block that runs. */
static unsigned int run(struct execution *execution, uint64_t bits,
			unsigned int count)
{
	const struct block *blocks = execution->blocks;
	uint64_t work = execution->times.work;
	unsigned int straight = WALK_MOST_STRAIGHT;
	struct step step = {
		.from = execution->from,
		.to = execution->block,
		.exit = execution->exit,
	};

	while (count && straight--) {
		const struct block *block = &blocks[step.to];
		enum block_edge edge = bits >> 63;
		unsigned int atoms = 1;
		bool is_indirect = false;
		bool is_skipped = false;

		switch (block->kind) {
		case BLOCK_CALL:
			is_skipped = edge == EDGE_NEXT;
			if (!is_skipped)
				atom_step_push(execution, step.to);
			break;
		case BLOCK_CONDITIONAL:
			break;
		case BLOCK_JUMP:
			if (block->exit == FLOW_EXIT_NONE)
				edge = EDGE_NEXT;
			break;
		case BLOCK_RETURN:
		case BLOCK_INDIRECT_JUMP:
		case BLOCK_INDIRECT_CALL:
		case BLOCK_FAR_RETURN:
			is_indirect = edge == EDGE_TAKEN;
			is_skipped = !is_indirect;
			break;
		case BLOCK_FALL:
		case BLOCK_FAR_CALL:
			edge = EDGE_NEXT;
			atoms = 0;
			break;
		case BLOCK_UNREAD:
			block_graph_read(execution->graph, step.to);
			continue;
		default:
			return lose(execution, &step, work, count);
		}
		bits <<= atoms;
		count -= atoms;
		work += block->work;
		step.from = step.to;
		if (is_indirect) {
			if (!find_target(execution, &step, work, !count))
				return count;
			blocks = execution->blocks;
		} else {
			step.passage = block_passage(block, edge);
			step.exit = edge == EDGE_TAKEN ? block->exit :
							 FLOW_EXIT_NONE;
			step.to = block_to(block, edge);
			if (step.to == BLOCK_NONE) {
				if (!find_way(execution, &step, edge))
					return lose(execution, &step, work,
						    count);
				blocks = execution->blocks;
			}
		}
		/* A call's EDGE_NEXT is the return from it. */
		if (is_skipped)
			step.passage = PASSAGE_INSIDE;
		/* Without code nothing arrives. */
		if (step.passage != PASSAGE_INSIDE && count &&
		    blocks[step.to].kind < BLOCK_NO_CODE)
			arrive(execution, &step, work);
	}
	place(execution, &step, work);
	return count;
}

/* Like run(), for lists, which show each block as it runs. */
static unsigned int list(struct execution *execution, uint64_t bits,
			 unsigned int count)
{
	for (; count; count--, bits <<= 1) {
		struct atom_range range;

		if (execution->atoms.awaits_target &&
		    (!execution->atoms.pops_target ||
		     !walk_atoms_back(execution)))
			return count;
		range = atom_range_begin(execution);
		atom_times_go_on(execution);
		walk_arrive(execution);
		if (!atom_step_straight(execution, &range)) {
			atom_range_exception(execution, &range);
			return count;
		}
		if (!atom_step_leave(execution, &range, bits >> 63))
			return count - 1;
	}
	return 0;
}

unsigned int walk_atoms(struct execution *execution, uint64_t bits,
			unsigned int count)
{
	if (execution->lists_blocks)
		return list(execution, bits, count);
	walk_arrive(execution);
	atom_times_go_on(execution);
	return run(execution, bits, count);
}

/* Runs part of execution->block, up to the instruction at @address. */
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
		range->instructions += block_work_instructions(work);
	execution->times.work += work;
	execution->last_ip = *last;
	execution->from = index;
	execution->set = block_graph_info(execution->graph, index)->set;
	execution->block = walk_find(execution, address);
	execution->passage = PASSAGE_INSIDE;
	execution->exit = FLOW_EXIT_NONE;
	return execution->block != BLOCK_NONE;
}

/* Runs up to @address; *@last: the last instruction on the way. */
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

/* Returns whether the last executed instruction, before @address, raises an
 * exception.
 */
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
