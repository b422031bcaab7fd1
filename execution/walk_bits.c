/* SPDX-License-Identifier: MIT */
#include "execution/execution_parts.h"
#include "execution/walk.h"

/* What is known of a step along the graph once it is decided which way. */
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

/* The way that @step goes is new, or a return: the slower parts find it. */
static bool find_way(struct execution *execution, struct step *step,
		     enum block_edge edge, bool is_return)
{
	execution->block = step->from;
	if (!(is_return ? walk_back(execution) : walk_along(execution, edge)))
		return false;
	step->to = execution->block;
	step->passage = execution->passage;
	step->exit = execution->exit;
	return true;
}

static bool lose(struct execution *execution, struct step *step, uint64_t work,
		 unsigned int count)
{
	execution->bits_left = (uint8_t)count;
	step->passage = PASSAGE_INSIDE;
	place(execution, step, work);
	return false;
}

/* The engine's inner loop: all that is done for each block that runs. */
static bool run(struct execution *execution, uint64_t bits, unsigned int count)
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
		enum block_edge edge = EDGE_TAKEN;
		bool is_return = false;

		switch (block->kind) {
		case BLOCK_CONDITIONAL:
			edge = bits >> 63;
			bits <<= 1;
			count--;
			break;
		case BLOCK_RETURN:
			if (!(bits >> 63))
				return lose(execution, &step, work, count);
			is_return = true;
			bits <<= 1;
			count--;
			break;
		case BLOCK_CALL:
			return_stack_push(&execution->returns,
					  block->ip + block->bytes, step.to);
			break;
		case BLOCK_JUMP:
			break;
		case BLOCK_FALL:
			edge = EDGE_NEXT;
			break;
		case BLOCK_UNREAD:
			block_graph_read(execution->graph, step.to);
			continue;
		default:
			return lose(execution, &step, work, count);
		}
		work += block->work;
		step.from = step.to;
		step.passage = block->passage[edge];
		step.exit = edge == EDGE_TAKEN ? block->exit : FLOW_EXIT_NONE;
		step.to = block->to[edge];
		if (step.to == BLOCK_NONE) {
			if (!find_way(execution, &step, edge, is_return))
				return lose(execution, &step, work, count);
			blocks = execution->blocks;
		}
		if (step.passage == PASSAGE_INSIDE || !count)
			continue;
		place(execution, &step, work);
		execution_arrive(execution);
		step.passage = PASSAGE_INSIDE;
	}
	place(execution, &step, work);
	execution->bits_left = (uint8_t)count;
	return !count;
}

/* The same for lists, which show each block as it runs. */
static bool list(struct execution *execution, uint64_t bits,
		 unsigned int count)
{
	for (; count; count--) {
		bool is_taken = bits >> 63;
		uint8_t kind;

		bits <<= 1;
		execution->bits_left = (uint8_t)count;
		if (!walk_straight(execution))
			return false;
		kind = execution->blocks[execution->block].kind;
		if (kind != BLOCK_CONDITIONAL &&
		    (kind != BLOCK_RETURN || !is_taken))
			return false;
		walk_run(execution);
		if (!(kind == BLOCK_RETURN ?
			      walk_back(execution) :
			      walk_along(execution, is_taken ? EDGE_TAKEN :
							       EDGE_NEXT)))
			return false;
	}
	return true;
}

bool walk_bits(struct execution *execution, uint64_t bits, unsigned int count)
{
	if (execution->lists_blocks)
		return list(execution, bits, count);
	walk_arrive(execution);
	execution->at_branch = false;
	return run(execution, bits, count);
}
