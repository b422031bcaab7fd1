/* SPDX-License-Identifier: MIT */
#include "execution/atoms/walk_atoms_internal.h"

#include "execution/atoms/atom_times_internal.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

/* Moves execution along the graph by atoms: E takes the branch of the current
 * block, N does not. Between two atoms execution runs straight through blocks
 * whose branch needs none (atom_step_straight()).
 *
 * The loop over many atoms keeps the step in registers (struct step); it stores
 * it only for rare cases: a new edge (find_edge()), an edge to another
 * function, a return that needs the return stack. For lists of blocks, ranges
 * of the trace are items (struct atom_range), which may be several blocks.
 */

/* A range of code in a list: several blocks of the graph, if they are long or
 * contain branches that were not taken (TRACE_SOURCE).
 */
struct atom_range {
	struct flow_item *item;
	uint64_t ip;
	uint32_t instructions;
};

/* Returns the block about to run. */
static inline const struct block *
atom_step_block(const struct execution *execution)
{
	return &execution->blocks[execution->block];
}

/* Returns the address of the last instruction of block @index. */
static inline uint64_t atom_step_last(const struct execution *execution,
				      uint32_t index)
{
	return execution->blocks[index].ip +
	       block_graph_info(execution->graph, index)->last;
}

/* Returns the end address of block @index. */
static inline uint64_t atom_step_end(const struct execution *execution,
				     uint32_t index)
{
	return execution->blocks[index].ip + execution->blocks[index].bytes;
}

/* Pushes the call at the end of block @index. */
static inline void atom_step_push(struct execution *execution, uint32_t index)
{
	return_stack_push(&execution->calls.returns,
			  atom_step_end(execution, index), index);
}

/* Starts a range at execution->block and adds its item. */
static struct atom_range atom_range_begin(struct execution *execution)
{
	atom_times_stamp_record(execution, execution->times.work);
	return (struct atom_range){
		.item = &execution_add(execution)->item,
		.ip = execution->blocks[execution->block].ip,
	};
}

/* Ends the range with @length bytes at @last, left by @exit (enum flow_exit).
 */
static void atom_range_end(struct atom_range *range, uint64_t last,
			   uint8_t exit, uint64_t length)
{
	range->item->kind = FLOW_BLOCK;
	range->item->detail = exit & 0xf;
	range->item->last_length = flow_exit_has_length(exit) ? length & 0xf :
								0;
	range->item->instructions = range->instructions < UINT16_MAX ?
					    (uint16_t)range->instructions :
					    UINT16_MAX;
	range->item->last = (uint32_t)(last - range->ip);
	range->item->ip = range->ip;
}

/* Removes the range that started last, none of which ran.
 *
 * Bounds without a record would fill up the room for bounds.
 */
static void atom_range_drop(struct execution *execution)
{
	struct event_times *times = &execution->times;
	uint32_t bounds = times->records[--times->count].early_ns;

	if (times->count > times->written &&
	    times->records[times->count - 1].early_ns == bounds)
		return;
	times->bounds_count--;
	execution->bounds.has_index = false;
}

/* Ends the range after its last executed instruction; execution is unknown
 * afterwards.
 */
static void atom_range_exception(struct execution *execution,
				 struct atom_range *range)
{
	if (range->instructions)
		atom_range_end(range,
			       execution->blocks[execution->from].ip +
				       block_graph_info(execution->graph,
							execution->from)
					       ->last,
			       FLOW_EXIT_NONE, 0);
	else
		atom_range_drop(execution);
}

/* Single steps of walk_atoms_internal.h. @range is for lists and may be NULL. */

/* Runs block execution->block to its end. */
static void atom_step_run(struct execution *execution, struct atom_range *range)
{
	const struct block *block = atom_step_block(execution);

	if (range)
		range->instructions += block_work_instructions(block->work);
	execution->times.work += block->work;
	execution->last_ip = 0;
	execution->from = execution->block;
}

/* Waits for the target of the indirect branch that ran at the end of block
 * @from.
 */
static void atom_step_await(struct execution *execution, uint32_t from)
{
	if (execution->blocks[from].kind == BLOCK_INDIRECT_CALL)
		atom_step_push(execution, from);
	execution->block = BLOCK_NONE;
	execution->exit = execution->blocks[from].exit;
	execution->edge_kind = EDGE_KIND_OTHER;
	execution->atoms.awaits_target = true;
	execution->atoms.pops_target = execution->atoms.has_returns;
}

static uint8_t back_edge_kind(const struct execution *execution)
{
	return block_returned(execution->blocks[execution->from].is_plain,
			      &execution->blocks[execution->block]);
}

void walk_atoms_jump(struct execution *execution, uint64_t address)
{
	uint8_t exit = execution->exit;

	execution->atoms.awaits_target = false;
	if (block_graph_info(execution->graph, execution->from)->set ==
	    execution->sets.current) {
		walk_jump(execution, address);
		/* The exit may have been corrected meanwhile. */
		execution->exit = exit;
	} else {
		execution->block = walk_find(execution, address);
		execution->edge_kind = EDGE_KIND_OTHER;
	}
	if (execution->block != BLOCK_NONE && exit == FLOW_EXIT_RETURN)
		execution->edge_kind = back_edge_kind(execution);
}

bool walk_atoms_back(struct execution *execution)
{
	uint64_t address;
	uint32_t caller;

	if (!return_stack_pop(&execution->calls.returns, &address, &caller))
		return false;
	if (caller != BLOCK_NONE)
		execution->sets.current =
			block_graph_info(execution->graph, caller)->set;
	walk_atoms_jump(execution, address);
	return execution->block != BLOCK_NONE;
}

/* Runs on until a branch needs an atom. Returns whether there is one. */
static bool atom_step_straight(struct execution *execution,
			       struct atom_range *range)
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

/* Returns the exit that a list shows for a block of @kind that ends in a branch
 * of @exit.
 */
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

	execution->edge_kind = EDGE_KIND_INSIDE;
	return is_there;
}

/* Runs execution->block, whose branch is taken or not, and goes to its target.
 * Returns false if that is impossible.
 */
static bool atom_step_leave(struct execution *execution,
			    struct atom_range *range, bool is_taken)
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

/* A step along the graph whose direction is decided: the block that ran and the
 * next one.
 */
struct step {
	uint32_t from;
	uint32_t to;
	uint8_t edge_kind;
	uint8_t exit;
};

/* Stores @step for the slower functions. */
static void place(struct execution *execution, const struct step *step,
		  uint64_t work)
{
	execution->from = step->from;
	execution->block = step->to;
	execution->edge_kind = step->edge_kind;
	execution->exit = step->exit;
	execution->times.work = work;
	execution->last_ip = 0;
}

/* Finds the target of @edge, which is new, with the slower functions. */
static bool find_edge(struct execution *execution, struct step *step,
		      enum block_edge edge)
{
	execution->block = step->from;
	if (!walk_along(execution, edge))
		return false;
	step->to = execution->block;
	step->edge_kind = execution->edge_kind;
	step->exit = execution->exit;
	return true;
}

/* Goes to the target of the indirect branch at the end of @step->from, with the
 * slower functions. Returns false if the target is unknown: no other atom
 * follows, or it is a return without a call.
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
	step->edge_kind = execution->edge_kind;
	step->exit = execution->exit;
	return true;
}

/* Stores @step, after which execution cannot be followed. Returns @count, the
 * number of branches left.
 */
static unsigned int lose(struct execution *execution, struct step *step,
			 uint64_t work, unsigned int count)
{
	step->edge_kind = EDGE_KIND_INSIDE;
	place(execution, step, work);
	return count;
}

static void arrive(struct execution *execution, struct step *step,
		   uint64_t work)
{
	place(execution, step, work);
	atom_times_stamp_record(execution, work);
	execution_arrive(execution);
	step->edge_kind = EDGE_KIND_INSIDE;
}

/* Runs up to @count atoms of @bits, in the inner loop: all work that every
 * block needs. Returns the number of atoms left.
 */
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
			step.edge_kind = block_edge_kind(block, edge);
			step.exit = edge == EDGE_TAKEN ? block->exit :
							 FLOW_EXIT_NONE;
			step.to = block_to(block, edge);
			if (step.to == BLOCK_NONE) {
				if (!find_edge(execution, &step, edge))
					return lose(execution, &step, work,
						    count);
				blocks = execution->blocks;
			}
		}
		/* A call's EDGE_NEXT is the return from it. */
		if (is_skipped)
			step.edge_kind = EDGE_KIND_INSIDE;
		/* A block without code emits no events. */
		if (step.edge_kind != EDGE_KIND_INSIDE && count &&
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
	execution->sets.current =
		block_graph_info(execution->graph, index)->set;
	execution->block = walk_find(execution, address);
	execution->edge_kind = EDGE_KIND_INSIDE;
	execution->exit = FLOW_EXIT_NONE;
	return execution->block != BLOCK_NONE;
}

/* Runs up to @address. Sets *@last to the address of the last instruction that
 * ran, if any did. Returns false if the code does not lead there.
 */
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
		execution->edge_kind = EDGE_KIND_OTHER;
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
