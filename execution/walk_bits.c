/* SPDX-License-Identifier: MIT */
#include "execution/moment.h"
#include "execution/walk.h"

/* The engine's inner loop: all that is done for nearly each block that runs.
 * What can be known of an edge beforehand is found once, in its block, and
 * events are written here.  What is new or rare is left to walk.c and
 * transfer.c, which look for it in the execution: see place().
 */
struct walk {
	const struct block *blocks;	/* the execution's */
	uint64_t work;			/* the execution's times' */
	uint32_t from;			/* all as in the execution */
	uint32_t to;			/* its block */
	uint8_t passage;
	uint8_t exit;
};

static struct walk walk_of(const struct execution *execution)
{
	return (struct walk){
		.blocks = execution->blocks,
		.work = execution->times.work,
		.from = execution->from,
		.to = execution->block,
		.passage = execution->passage,
		.exit = execution->exit,
	};
}

static void place(struct execution *execution, const struct walk *walk)
{
	execution->from = walk->from;
	execution->block = walk->to;
	execution->passage = walk->passage;
	execution->exit = walk->exit;
	execution->times.work = walk->work;
	execution->last_ip = 0;
}

/* Adds the event that @walk comes to its block. */
static inline void put(struct execution *execution, const struct walk *walk,
		       enum function_event_kind kind, uint64_t address)
{
	const struct block *target = &walk->blocks[walk->to];
	struct function_event *event =
		&event_times_put(&execution->times, walk->work,
				 moment_bounds(execution))->event;

	event->address = address;
	event->function = target->function;
	event->kind = (uint8_t)kind;
	event->detail = kind == FUNCTION_RETURN && target->is_entry;
	event->is_user = target->is_user;
}

/* Control came to another function. */
static inline void arrive(struct execution *execution, struct walk *walk)
{
	const struct block *from = &walk->blocks[walk->from];
	const struct block *target = &walk->blocks[walk->to];

	switch ((enum block_passage)walk->passage) {
	case PASSAGE_CALL:
		put(execution, walk, FUNCTION_CALL, from->ip + from->bytes);
		break;
	case PASSAGE_RETURN:
		put(execution, walk, FUNCTION_RETURN, target->ip);
		break;
	case PASSAGE_TAIL_CALL:
		put(execution, walk, FUNCTION_TAIL_CALL, target->ip);
		break;
	case PASSAGE_INSIDE:
	case PASSAGE_LOCAL_CALL:
	case PASSAGE_THUNK_RETURN:
	case PASSAGE_OTHER:
	case PASSAGE_NEW:
		place(execution, walk);
		execution_arrive(execution);
		break;
	}
	walk->passage = PASSAGE_INSIDE;
}

/* Goes along @edge of the block that @walk came to. */
static inline void go_along(struct execution *execution, struct walk *walk,
			    enum block_edge edge)
{
	const struct block *block = &walk->blocks[walk->to];

	walk->work += block->work;
	walk->passage = block->passage[edge];
	if (walk->passage == PASSAGE_NEW) {
		place(execution, walk);
		execution->from = walk->to;
		walk_along(execution, edge);
		*walk = walk_of(execution);
		return;
	}
	walk->exit = edge == EDGE_TAKEN ? block->exit : FLOW_EXIT_NONE;
	walk->from = walk->to;
	walk->to = block->to[edge];
}

/* Returns the block that the innermost call returns to, if that is ordinary
 * code which ran before; else BLOCK_NONE.
 */
static inline uint32_t return_block(const struct execution *execution,
				    const struct block *blocks)
{
	uint32_t call = return_stack_top(&execution->returns);
	uint32_t behind = blocks[call].to[EDGE_NEXT];

	return blocks[behind].is_plain ? behind : BLOCK_NONE;
}

/* Returns to block @behind from the one that @walk came to. */
static inline void go_back(struct execution *execution, struct walk *walk,
			   uint32_t behind)
{
	walk->work += walk->blocks[walk->to].work;
	walk->passage = PASSAGE_RETURN;
	walk->exit = FLOW_EXIT_RETURN;
	walk->from = walk->to;
	walk->to = behind;
	return_stack_drop(&execution->returns);
}

/* The same where more than that must be found.  Returns false if nothing is
 * known to return to.
 */
static bool find_back(struct execution *execution, struct walk *walk)
{
	bool is_found;

	walk->work += walk->blocks[walk->to].work;
	place(execution, walk);
	execution->from = walk->to;
	is_found = walk_back(execution);
	*walk = walk_of(execution);
	if (!is_found)
		walk->to = BLOCK_NONE;
	return is_found;
}

/* Returns whether the jump @block leads to nothing but a return: the kernel's
 * __x86_return_thunk, which may be patched.
 */
static inline bool is_thunk_return(const struct block *blocks,
				   const struct block *block)
{
	return block->passage[EDGE_TAKEN] == PASSAGE_THUNK_RETURN &&
	       blocks[block->to[EDGE_TAKEN]].kind == BLOCK_RETURN;
}

static bool run(struct execution *execution, uint64_t bits, unsigned int count)
{
	struct walk walk = walk_of(execution);
	unsigned int straight = WALK_MOST_STRAIGHT;
	uint32_t behind;

	walk.passage = PASSAGE_INSIDE;
	while (count) {
		const struct block *block = &walk.blocks[walk.to];
		bool is_taken = bits >> 63;

		switch ((enum block_kind)block->kind) {
		case BLOCK_CONDITIONAL:
			bits <<= 1;
			count--;
			go_along(execution, &walk, is_taken);
			break;
		case BLOCK_RETURN:
			if (!is_taken)
				goto lost;
			bits <<= 1;
			count--;
			behind = return_block(execution, walk.blocks);
			if (behind != BLOCK_NONE && block->is_plain)
				go_back(execution, &walk, behind);
			else if (!find_back(execution, &walk))
				goto lost;
			break;
		case BLOCK_CALL:
			if (!straight-- ||
			    !event_times_has_room(&execution->times,
						  RECORDS_AT_ONCE))
				goto lost;
			return_stack_push(&execution->returns,
					  block->ip + block->bytes, walk.to);
			go_along(execution, &walk, EDGE_TAKEN);
			break;
		case BLOCK_JUMP:
			behind = return_block(execution, walk.blocks);
			if (is_taken && behind != BLOCK_NONE &&
			    is_thunk_return(walk.blocks, block)) {
				bits <<= 1;
				count--;
				walk.work += block->work;
				walk.to = block->to[EDGE_TAKEN];
				go_back(execution, &walk, behind);
				break;
			}
			if (!straight-- ||
			    !event_times_has_room(&execution->times,
						  RECORDS_AT_ONCE))
				goto lost;
			go_along(execution, &walk, EDGE_TAKEN);
			break;
		case BLOCK_FALL:
			if (!straight--)
				goto lost;
			go_along(execution, &walk, EDGE_NEXT);
			break;
		case BLOCK_UNREAD:
			block_graph_read(execution->graph, walk.to);
			break;
		default:
			goto lost;
		}
		if (walk.passage != PASSAGE_INSIDE && count)
			arrive(execution, &walk);
	}
	place(execution, &walk);
	return true;
lost:
	walk.passage = PASSAGE_INSIDE;
	place(execution, &walk);
	return false;
}

/* The same for lists, which show each block as it runs. */
static bool list(struct execution *execution, uint64_t bits,
		 unsigned int count)
{
	for (; count; count--) {
		bool is_taken = bits >> 63;
		uint8_t kind;

		bits <<= 1;
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
