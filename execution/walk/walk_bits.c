/* SPDX-License-Identifier: MIT */
#include "execution/walk/moment.h"
#include "execution/walk/walk.h"

/* The engine's inner loop: all that is done for nearly each block that runs.
 * What can be known of an edge beforehand is found once, in its block, and
 * events are written here.  What is new or rare is left to walk.c and
 * transfer.c, which look for it in the execution: see place().
 */
struct walk {
	const struct block *blocks; /* the execution's */
	uint64_t work;		    /* the execution's times' */
	uint32_t from;		    /* as in the execution */
	uint32_t to;		    /* its block, */
	enum block_edge edge;	    /* to which this led */
	uint8_t passage;	    /* as in the execution */
};

static void place(struct execution *execution, struct walk walk)
{
	execution->from = walk.from;
	execution->block = walk.to;
	execution->passage = walk.passage;
	execution->exit = walk.edge == EDGE_TAKEN ?
				  walk.blocks[walk.from].exit :
				  FLOW_EXIT_NONE;
	execution->times.work = walk.work;
	execution->last_ip = 0;
}

/* Nobody went along this edge before.
 *
 * Like others that are seldom needed, this gets and returns a copy: what nobody
 * points to stays in registers.
 */
__attribute__((noinline)) static struct walk
find_edge(struct execution *execution, struct walk walk)
{
	execution->block = walk.from;
	walk_along(execution, walk.edge);
	walk.blocks = execution->blocks;
	walk.to = execution->block;
	walk.passage = execution->passage;
	return walk;
}

/* Block @walk.to runs, which returns: to BLOCK_NONE if nothing says where. */
__attribute__((noinline)) static struct walk
find_back(struct execution *execution, struct walk walk)
{
	execution->block = walk.to;
	walk.work += walk.blocks[walk.to].work;
	walk.from = walk.to;
	walk.edge = EDGE_TAKEN;
	/* Also where there is no way back. */
	execution->passage = PASSAGE_OTHER;
	walk.to = walk_back(execution) ? execution->block : BLOCK_NONE;
	walk.blocks = execution->blocks;
	walk.passage = execution->passage;
	return walk;
}

__attribute__((noinline)) static void arrive(struct execution *execution,
					     struct walk walk)
{
	place(execution, walk);
	execution_arrive(execution);
}

/* Adds the event that control comes to block @walk->to.  Each place that does
 * has a copy of its own: a call would cost a fifteenth of all decoding.
 */
__attribute__((always_inline)) static inline void
put(struct execution *execution, const struct walk *walk,
    enum function_event_kind kind, uint64_t address)
{
	const struct block *target = &walk->blocks[walk->to];
	struct function_event *event =
		&event_times_put(&execution->times, walk->work,
				 moment_bounds(execution))
			 ->event;

	event->address = address;
	event->function = target->function;
	event->kind = (uint8_t)kind;
	event->detail = kind == FUNCTION_RETURN && target->is_entry;
	event->is_user = target->is_user;
}

/* Control came to another function, or may have. */
static inline void enter(struct execution *execution, struct walk *walk)
{
	const struct block *target = &walk->blocks[walk->to];

	if (walk->passage == PASSAGE_RETURN)
		put(execution, walk, FUNCTION_RETURN, target->ip);
	else if (walk->passage == PASSAGE_TAIL_CALL)
		put(execution, walk, FUNCTION_TAIL_CALL, target->ip);
	else if (walk->passage != PASSAGE_INSIDE)
		arrive(execution, *walk);
	walk->passage = PASSAGE_INSIDE;
}

/* Block @walk->to runs, and control leaves it along @edge. */
static inline void go_along(struct walk *walk, enum block_edge edge)
{
	const struct block *block = &walk->blocks[walk->to];

	walk->work += block->work;
	walk->from = walk->to;
	walk->to = block->to[edge];
	walk->edge = edge;
	walk->passage = block->passage[edge];
}

/* A call runs. */
static inline void go_to_function(struct execution *execution,
				  struct walk *walk, const struct block *block)
{
	uint64_t return_address = block->ip + block->bytes;

	return_stack_push(&execution->returns, return_address, walk->to);
	go_along(walk, EDGE_TAKEN);
	if (walk->passage != PASSAGE_CALL)
		return;
	put(execution, walk, FUNCTION_CALL, return_address);
	walk->passage = PASSAGE_INSIDE;
}

/* Returns whether the jump @block leads to nothing but a return: the kernel's
 * __x86_return_thunk, which may be patched to be more.
 */
static inline bool is_thunk_return(const struct walk *walk,
				   const struct block *block)
{
	return block->passage[EDGE_TAKEN] == PASSAGE_THUNK_RETURN &&
	       walk->blocks[block->to[EDGE_TAKEN]].kind == BLOCK_RETURN;
}

/* Block @walk->to, which is @block, runs if it returns from plain code to plain
 * code, itself or by way of a thunk.  Returns whether it does.
 */
static inline bool go_back(struct execution *execution, struct walk *walk,
			   const struct block *block)
{
	bool is_return = block->passage[EDGE_TAKEN] == PASSAGE_RETURN;
	const struct block *call;

	if (!is_return && !is_thunk_return(walk, block))
		return false;
	call = &walk->blocks[return_stack_top(&execution->returns)];
	if (call->passage[EDGE_NEXT] != PASSAGE_RETURN)
		return false;
	if (!is_return)
		go_along(walk, EDGE_TAKEN);
	go_along(walk, EDGE_TAKEN);
	walk->to = call->to[EDGE_NEXT];
	walk->passage = PASSAGE_RETURN;
	return_stack_drop(&execution->returns);
	return true;
}

/* A block runs that takes no trace.  Returns false if it cannot, or there were
 * too many of them.
 */
static inline bool go_straight(struct execution *execution, struct walk *walk,
			       const struct block *block, unsigned int *left)
{
	if (!(*left)-- ||
	    !event_times_has_room(&execution->times, RECORDS_AT_ONCE))
		return false;
	if (block->kind == BLOCK_CALL)
		go_to_function(execution, walk, block);
	else if (block->kind == BLOCK_JUMP)
		go_along(walk, EDGE_TAKEN);
	else if (block->kind == BLOCK_FALL)
		go_along(walk, EDGE_NEXT);
	else if (block->kind == BLOCK_UNREAD)
		block_graph_read(execution->graph, walk->to);
	else
		return false;
	return true;
}

/* Goes where @walk just went, which may be unknown, or another function.
 * Returns false if there is nothing to go to.
 */
static inline bool go_in(struct execution *execution, struct walk *walk,
			 bool has_more)
{
	if (walk->passage == PASSAGE_NEW)
		*walk = find_edge(execution, *walk);
	if (walk->to == BLOCK_NONE)
		return false;
	if (has_more)
		enter(execution, walk);
	return true;
}

static bool run(struct execution *execution, uint64_t bits, unsigned int count)
{
	unsigned int straight = WALK_MOST_STRAIGHT;
	struct walk walk = {
		.blocks = execution->blocks,
		.work = execution->times.work,
		.from = execution->from,
		.to = execution->block,
		.passage = PASSAGE_INSIDE,
	};

	while (count) {
		const struct block *block = &walk.blocks[walk.to];
		bool is_taken = bits >> 63;

		if (__builtin_expect(block->kind == BLOCK_CONDITIONAL, 1)) {
			bits <<= 1;
			count--;
			go_along(&walk, is_taken);
		} else if (is_taken && go_back(execution, &walk, block)) {
			bits <<= 1;
			count--;
		} else if (is_taken && block->kind == BLOCK_RETURN) {
			bits <<= 1;
			count--;
			walk = find_back(execution, walk);
		} else if (!go_straight(execution, &walk, block, &straight)) {
			break;
		}
		if (__builtin_expect(walk.passage == PASSAGE_INSIDE, 1))
			continue;
		if (!go_in(execution, &walk, count))
			break;
	}
	execution->bits_left = (uint8_t)count;
	place(execution, walk);
	return !count && walk.to != BLOCK_NONE;
}

/* The same for lists, which show each block as it runs. */
static bool list(struct execution *execution, uint64_t bits, unsigned int count)
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
			      walk_along(execution,
					 is_taken ? EDGE_TAKEN : EDGE_NEXT)))
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
