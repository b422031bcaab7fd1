/* SPDX-License-Identifier: MIT */
#include "execution/atoms/walk_atoms.h"
#include "execution/atoms/atom_range.h"
#include "execution/atoms/atom_step.h"
#include "execution/atoms/atom_times.h"
#include "execution/walk/walk.h"

/* A step along the graph, once it is decided which way it goes. */
struct step {
	uint32_t from;
	uint32_t to;
	uint8_t passage;
	uint8_t exit;
};

/* Puts @step where the slower parts of the engine look for it. */
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

/* The way along @edge is new: the slower parts find it. */
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

/* Returns false if nothing says where it leads: no other atom follows, or it
 * returns to no call.
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

/* Returns how many branches are left. */
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

/* The engine's inner loop: all that is done for each block that runs. */
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
			step.passage = block->passage[edge];
			step.exit = edge == EDGE_TAKEN ? block->exit :
							 FLOW_EXIT_NONE;
			step.to = block->to[edge];
			if (step.to == BLOCK_NONE) {
				if (!find_way(execution, &step, edge))
					return lose(execution, &step, work,
						    count);
				blocks = execution->blocks;
			}
		}
		/* A call's edge is that of the return from it. */
		if (is_skipped)
			step.passage = PASSAGE_INSIDE;
		/* Where there is no code nothing arrives. */
		if (step.passage != PASSAGE_INSIDE && count &&
		    blocks[step.to].kind < BLOCK_NO_CODE)
			arrive(execution, &step, work);
	}
	place(execution, &step, work);
	return count;
}

/* The same for lists, which show each block as it runs. */
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
