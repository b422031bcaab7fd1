/* SPDX-License-Identifier: MIT */
#include "execution/walk_atoms.h"
#include "execution/atom_times.h"
#include "execution/moment.h"
#include "execution/walk.h"

/* A run of code in a list: several blocks of the graph, if they are long or hold
 * branches that were not taken (TRACE_SOURCE).
 */
struct range {
	struct flow_item *item;
	uint64_t ip;
	uint32_t instructions;
};

static const struct block *block_now(const struct execution *execution)
{
	return &execution->blocks[execution->block];
}

/* Where instructions are the clock each record has its own time. */
static inline void stamp(struct execution *execution, uint64_t work)
{
	uint64_t now = atom_times_instructions(execution, work);

	if (now)
		atom_times_set_bounds(execution, now, now);
}

static struct range begin_range(struct execution *execution)
{
	stamp(execution, execution->times.work);
	return (struct range){
		.item = &execution_add(execution)->item,
		.ip = block_now(execution)->ip,
	};
}

/* @range ends with @length bytes at @last. */
static void end_range(struct range *range, uint64_t last, uint8_t exit,
		      uint64_t length)
{
	bool is_call = exit == FLOW_EXIT_CALL || exit == FLOW_EXIT_FAR_CALL;

	range->item->kind = FLOW_BLOCK;
	range->item->detail = exit & 0xf;
	range->item->last_length = is_call ? length & 0xf : 0;
	range->item->instructions = range->instructions < UINT16_MAX ?
					    (uint16_t)range->instructions :
					    UINT16_MAX;
	range->item->last = (uint32_t)(last - range->ip);
	range->item->ip = range->ip;
}

/* Nothing of it ran. */
static void drop_range(struct execution *execution)
{
	execution->times.count--;
}

static uint64_t last_of(const struct execution *execution, uint32_t index)
{
	return execution->blocks[index].ip +
	       block_graph_info(execution->graph, index)->last;
}

static uint64_t end_of(const struct execution *execution, uint32_t index)
{
	return execution->blocks[index].ip + execution->blocks[index].bytes;
}

static void push_call(struct execution *execution, uint32_t index)
{
	return_stack_push(&execution->returns, end_of(execution, index), index);
}

/* Block execution->block runs, to its end. */
static void run_block(struct execution *execution, struct range *range)
{
	const struct block *block = block_now(execution);

	if (range)
		range->instructions += block->work & (BLOCK_WORK_SLOW - 1);
	execution->times.work += block->work;
	execution->last_ip = 0;
	execution->from = execution->block;
}

static void await_target(struct execution *execution, uint32_t from)
{
	if (execution->blocks[from].kind == BLOCK_INDIRECT_CALL)
		push_call(execution, from);
	execution->block = BLOCK_NONE;
	execution->exit = execution->blocks[from].exit;
	execution->passage = PASSAGE_OTHER;
	execution->atoms.awaits_target = true;
	execution->atoms.pops_target = execution->atoms.has_returns;
}

static bool is_plain(const struct execution *execution, uint32_t index)
{
	return block_graph_info(execution->graph, index)->is_plain;
}

static uint8_t passage_back(const struct execution *execution)
{
	return is_plain(execution, execution->from) &&
			       is_plain(execution, execution->block) ?
		       PASSAGE_RETURN : PASSAGE_OTHER;
}

void walk_atoms_jump(struct execution *execution, uint64_t address)
{
	uint8_t exit = execution->exit;

	execution->atoms.awaits_target = false;
	if (block_graph_info(execution->graph, execution->from)->set ==
	    execution->set) {
		walk_jump(execution, address);
		/* It may have been found to be another one. */
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
	await_target(execution, step->from);
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
	stamp(execution, work);
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
				push_call(execution, step.to);
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

/* Runs on while no branch takes an atom.  Returns whether one is next. */
static bool run_straight(struct execution *execution, struct range *range)
{
	for (int i = 0; i < WALK_MOST_STRAIGHT; i++) {
		if (execution->block == BLOCK_NONE)
			return false;
		switch ((enum block_kind)block_now(execution)->kind) {
		case BLOCK_UNREAD:
			block_graph_read(execution->graph, execution->block);
			break;
		case BLOCK_FALL:
		case BLOCK_FAR_CALL:
			run_block(execution, range);
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
			return false;
		}
	}
	return false;
}

/* How a list says that a block was left by a branch of the block's @exit. */
static uint8_t exit_of(uint8_t exit, uint8_t kind, bool is_taken)
{
	if (is_taken || kind == BLOCK_CONDITIONAL)
		return exit;
	/* A conditional call or indirect branch that is not done is nothing. */
	return kind == BLOCK_JUMP && exit == FLOW_EXIT_JUMP ?
		       FLOW_EXIT_CONDITIONAL : FLOW_EXIT_NONE;
}

/* The branch at the end of execution->block was not taken.  A call's edge is
 * that of the return from it.
 */
static bool pass_by(struct execution *execution)
{
	bool is_there = walk_along(execution, EDGE_NEXT);

	execution->passage = PASSAGE_INSIDE;
	return is_there;
}

/* What the branch at the end of execution->block, which runs, leads to. */
static bool leave(struct execution *execution, struct range *range,
		  bool is_taken)
{
	uint32_t index = execution->block;
	uint8_t kind = block_now(execution)->kind;
	uint8_t exit = block_now(execution)->exit;

	run_block(execution, range);
	if (range)
		end_range(range, last_of(execution, index),
			  exit_of(exit, kind, is_taken),
			  end_of(execution, index) - last_of(execution, index));
	if (!is_taken || exit == FLOW_EXIT_NONE)
		return pass_by(execution);
	if (kind == BLOCK_CALL)
		push_call(execution, index);
	if (kind == BLOCK_CALL || kind == BLOCK_CONDITIONAL ||
	    kind == BLOCK_JUMP)
		return walk_along(execution, EDGE_TAKEN);
	await_target(execution, index);
	return true;
}

/* Execution is lost behind what ran of @range. */
static void break_range(struct execution *execution, struct range *range)
{
	if (range->instructions)
		end_range(range, last_of(execution, execution->from),
			  FLOW_EXIT_NONE, 0);
	else
		drop_range(execution);
}

/* The same for lists, which show each block as it runs. */
static unsigned int list(struct execution *execution, uint64_t bits,
			 unsigned int count)
{
	for (; count; count--, bits <<= 1) {
		struct range range;

		if (execution->atoms.awaits_target &&
		    (!execution->atoms.pops_target ||
		     !walk_atoms_back(execution)))
			return count;
		range = begin_range(execution);
		atom_times_go_on(execution);
		walk_arrive(execution);
		if (!run_straight(execution, &range)) {
			break_range(execution, &range);
			return count;
		}
		if (!leave(execution, &range, bits >> 63))
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

/* Part of execution->block runs, up to the instruction at @address. */
static bool run_part(struct execution *execution, struct range *range,
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
static bool run_to(struct execution *execution, struct range *range,
		   uint64_t address, uint64_t *last)
{
	for (int i = 0; i < WALK_MOST_STRAIGHT; i++) {
		const struct block *block = block_now(execution);

		if (execution->block == BLOCK_NONE)
			return false;
		if (block->kind == BLOCK_UNREAD)
			block_graph_read(execution->graph, execution->block);
		if (address - block->ip < block->bytes || address == block->ip)
			return run_part(execution, range, address, last);
		if (block->kind != BLOCK_FALL && block->kind != BLOCK_FAR_CALL)
			return false;
		run_block(execution, range);
		*last = last_of(execution, execution->from);
		walk_along(execution, EDGE_NEXT);
		walk_arrive(execution);
	}
	return false;
}

/* Whether what ran last, up to @address, asks for an exception. */
static bool has_asked(const struct execution *execution, uint64_t address)
{
	return execution->blocks[execution->from].kind == BLOCK_FAR_CALL &&
	       end_of(execution, execution->from) == address;
}

bool walk_atoms_to(struct execution *execution, uint64_t address, bool is_call)
{
	struct range range = { 0 };
	uint64_t last = 0;
	bool is_there;

	if (execution->lists_blocks)
		range = begin_range(execution);
	walk_arrive(execution);
	atom_times_go_on(execution);
	is_there = run_to(execution, &range, address, &last);
	is_call = is_call && is_there && has_asked(execution, address);
	if (is_call) {
		execution->passage = PASSAGE_OTHER;
		execution->exit = FLOW_EXIT_FAR_CALL;
	}
	if (range.item && range.instructions)
		end_range(&range, last,
			  is_call ? FLOW_EXIT_FAR_CALL : FLOW_EXIT_NONE,
			  address - last);
	else if (range.item)
		drop_range(execution);
	return is_there;
}

bool walk_atoms_source(struct execution *execution, uint64_t address)
{
	struct range range = { 0 };
	struct range *listed = execution->lists_blocks ? &range : NULL;

	if (listed)
		range = begin_range(execution);
	walk_arrive(execution);
	atom_times_go_on(execution);
	for (int i = 0; i < WALK_MOST_STRAIGHT; i++) {
		if (!run_straight(execution, listed))
			break;
		if (last_of(execution, execution->block) == address)
			return leave(execution, listed, true);
		if (block_now(execution)->kind != BLOCK_CONDITIONAL)
			break;
		run_block(execution, listed);
		walk_along(execution, EDGE_NEXT);
		walk_arrive(execution);
	}
	if (listed)
		break_range(execution, listed);
	return false;
}
