/* SPDX-License-Identifier: MIT */
#include "execution/walk/assume.h"

#include "decoder/code/code_space.h"
#include "decoder/flow/branch_source.h"
#include "execution/graph/block_graph.h"
#include "execution/graph/return_stack.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

#include <string.h>

/* A walker is a position ahead of the execution: a block, a return stack, and a
 * place in the trace. At a block with two readings, copies of the walker explore
 * both (explore()), and the main walker goes on with the one that is possible.
 * What it finds is queued in execution->assumed, so that the trace ahead is not
 * walked again for each block.
 *
 * Blocks of readings are in spaces of their own, but their edges lead to the space
 * of the execution: find_reading() resets them.
 */

enum {
	/* A wrong path that shares functions with the right one passes some
	 * targets by chance: ten were seen. Returns of one bit prove nothing,
	 * because most bits are taken.
	 */
	PROOF_TARGETS = 32,
	MOST_STEPS = 1 << 16, /* blocks of one call of assume_code() */
	MOST_DEPTH = 8,	      /* of blocks with two readings, in explore() */
	LONGEST_BLOCK = 256,  /* bytes of a block that is assumed */
};

struct walker {
	struct execution *execution;
	struct return_stack returns;
	uint32_t block;
	uint64_t bits; /* of the current branch, the next one is the highest */
	unsigned int bits_left;
	const struct trace_branch *next;
	const struct trace_branch *end;
	unsigned int targets; /* that agreed with the code */
	unsigned int *steps;  /* blocks that may still run */
	/* of the stream's bytes, from which positions of branches are counted */
	uint64_t base;
	unsigned int likely; /* the last of two readings that ran: 0 or 1 */
};

enum verdict {
	VERDICT_NO,    /* the trace contradicts the code */
	VERDICT_OPEN,  /* the trace or the code ends before that or a proof */
	VERDICT_PROOF, /* PROOF_TARGETS agree */
};

static const struct block *block_of(const struct walker *walker)
{
	return &walker->execution->blocks[walker->block];
}

/* Goes to the block at @address. */
static enum verdict go_to(struct walker *walker, uint64_t address)
{
	walker->block = walk_find(walker->execution, address);
	return walker->block == BLOCK_NONE ? VERDICT_OPEN : VERDICT_PROOF;
}

static enum verdict go_along(struct walker *walker, enum block_edge edge)
{
	struct execution *execution = walker->execution;
	uint32_t to = block_to(block_of(walker), edge);

	if (to == BLOCK_NONE) {
		to = block_graph_go(execution->graph, walker->block, edge);
		execution->blocks = block_graph_blocks(execution->graph);
	}
	walker->block = to;
	return to == BLOCK_NONE ? VERDICT_OPEN : VERDICT_PROOF;
}

/* Returns whether the trace has another branch that a walker can follow: an
 * interrupt or the end of the batch ends the walk.
 */
static bool has_branch(const struct walker *walker)
{
	return walker->bits_left || (walker->next < walker->end &&
				     (walker->next->kind == TRACE_BITS ||
				      (walker->next->kind == TRACE_TARGET &&
				       walker->next->has_address)));
}

static bool has_bit(const struct walker *walker)
{
	return walker->bits_left || walker->next->kind == TRACE_BITS;
}

static bool consume_bit(struct walker *walker)
{
	bool is_taken;

	if (!walker->bits_left) {
		walker->bits_left = walker->next->count;
		walker->bits = walker->next->payload
			       << (64 - walker->next->count);
		walker->next++;
	}
	is_taken = walker->bits >> 63;
	walker->bits <<= 1;
	walker->bits_left--;
	return is_taken;
}

static enum verdict run_to_target(struct walker *walker)
{
	if (has_bit(walker))
		return VERDICT_NO;
	walker->targets++;
	return go_to(walker, walker->next++->payload);
}

static enum verdict run_return(struct walker *walker)
{
	uint64_t address;
	uint32_t block;

	if (!has_bit(walker))
		return run_to_target(walker);
	if (!consume_bit(walker) ||
	    !return_stack_pop(&walker->returns, &address, &block))
		return VERDICT_NO;
	return go_to(walker, address);
}

static void push_call(struct walker *walker)
{
	const struct block *block = block_of(walker);

	return_stack_push(&walker->returns, block->ip + block->bytes,
			  BLOCK_NONE);
}

/* Runs the block, whose code is known. Returns VERDICT_PROOF if the trace agrees,
 * with the next block in @walker.
 */
static enum verdict run_block(struct walker *walker)
{
	enum block_kind kind = block_of(walker)->kind;

	if (kind == BLOCK_CALL || kind == BLOCK_INDIRECT_CALL)
		push_call(walker);
	if (kind == BLOCK_FALL)
		return go_along(walker, EDGE_NEXT);
	if (kind == BLOCK_JUMP || kind == BLOCK_CALL)
		return go_along(walker, EDGE_TAKEN);
	if (!has_branch(walker) || kind >= BLOCK_FAR_CALL)
		return VERDICT_OPEN;
	if (kind == BLOCK_RETURN)
		return run_return(walker);
	if (kind == BLOCK_INDIRECT_JUMP || kind == BLOCK_INDIRECT_CALL)
		return run_to_target(walker);
	if (!has_bit(walker))
		return VERDICT_NO;
	return go_along(walker, consume_bit(walker) ? EDGE_TAKEN : EDGE_NEXT);
}

/* Reads the block again if its code changed. */
static void read_block(struct walker *walker)
{
	struct execution *execution = walker->execution;

	if (block_of(walker)->kind != BLOCK_UNREAD)
		return;
	block_graph_read(execution->graph, walker->block);
	execution->blocks = block_graph_blocks(execution->graph);
}

/* Returns whether the code that is known now agrees with the @size bytes at
 * @bytes, which a reading has at @address.
 */
static bool fits_known(struct execution *execution, uint64_t address,
		       const uint8_t *bytes, size_t size)
{
	size_t left;

	for (size_t i = 0; i < size; i++) {
		const uint8_t *known =
			code_space_bytes(execution->code, address + i, &left);

		if (known && *known != bytes[i])
			return false;
	}
	return true;
}

static bool is_filling(const uint8_t *bytes, size_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

static void reset_edges(struct block *block)
{
	block->edges[EDGE_NEXT] = block_edge_word(BLOCK_NONE, EDGE_KIND_NEW);
	block->edges[EDGE_TAKEN] = block_edge_word(BLOCK_NONE, EDGE_KIND_NEW);
}

/* Returns the block at the address of @block, whose code is unknown, in the code
 * of @reading; BLOCK_NONE if there is none that may have run. Its edges are new.
 */
static uint32_t find_reading(struct execution *execution, uint32_t block,
			     enum code_reading reading)
{
	uint64_t address = execution->blocks[block].ip;
	int status = code_space_assume(execution->code, reading, address,
				       execution_guess_ns(execution));
	uint8_t bytes[LONGEST_BLOCK];
	uint32_t found = BLOCK_NONE;
	struct block *read;
	size_t size = 0;

	if (status < 0)
		walk_run_out_of_memory(execution);
	if (status <= 0)
		return BLOCK_NONE;
	found = walk_find(execution, address);
	read = &execution->blocks[found];
	if (found != BLOCK_NONE && read->bytes <= sizeof(bytes))
		size = code_space_copy(execution->code, address, bytes,
				       read->bytes);
	code_space_end_assumption(execution->code);
	if (!size || size < read->bytes || is_filling(bytes, size) ||
	    !fits_known(execution, address, bytes, size) ||
	    !code_space_has_one_function(execution->code, address,
					 address + size))
		return BLOCK_NONE;
	reset_edges(read);
	return found;
}

/* Returns whether two blocks at one address lead to the same places. */
static bool is_same_flow(const struct execution *execution, uint32_t a,
			 uint32_t b)
{
	return execution->blocks[a].kind == execution->blocks[b].kind &&
	       execution->blocks[a].bytes == execution->blocks[b].bytes &&
	       block_graph_info(execution->graph, a)->target ==
		       block_graph_info(execution->graph, b)->target;
}

/* Finds the blocks that may have run at the address of the walker's block. Returns
 * their number.
 */
static unsigned int find_readings(struct walker *walker, uint32_t readings[2])
{
	struct execution *execution = walker->execution;
	uint32_t last =
		find_reading(execution, walker->block, CODE_READING_LAST);
	uint32_t next =
		find_reading(execution, walker->block, CODE_READING_NEXT);
	unsigned int count = 0;

	if (last != BLOCK_NONE)
		readings[count++] = last;
	if (next != BLOCK_NONE &&
	    (!count || !is_same_flow(execution, last, next)))
		readings[count++] = next;
	return count;
}

/* Runs @reading of the walker's block, number @number of two. */
static enum verdict run_reading(struct walker *walker, uint32_t reading,
				unsigned int number)
{
	walker->block = reading;
	walker->likely = number;
	return run_block(walker);
}

static enum verdict explore(struct walker walker, unsigned int wanted,
			    unsigned int depth);

/* Like explore(), but the walker's block is @reading, number @number of two. */
static enum verdict explore_reading(struct walker walker, uint32_t reading,
				    unsigned int number, unsigned int wanted,
				    unsigned int depth)
{
	enum verdict verdict = run_reading(&walker, reading, number);

	return verdict == VERDICT_PROOF ? explore(walker, wanted, depth) :
					  verdict;
}

/* Runs the walker's block, which is unknown: as each reading has it, the less
 * likely one first. If that is possible or open, the verdict is final, which
 * *@is_final tells.
 */
static enum verdict explore_unknown(struct walker *walker, unsigned int wanted,
				    unsigned int depth, bool *is_final)
{
	unsigned int likely = walker->likely;
	uint32_t readings[2];
	unsigned int count = find_readings(walker, readings);
	enum verdict verdict = VERDICT_OPEN;

	*is_final = true;
	if (!count || depth == MOST_DEPTH)
		return verdict;
	*is_final = false;
	if (count == 1)
		return run_reading(walker, readings[0], likely);
	verdict = explore_reading(*walker, readings[!likely], !likely, wanted,
				  depth + 1);
	*is_final = verdict != VERDICT_NO;
	return *is_final ? verdict :
			   run_reading(walker, readings[likely], likely);
}

/* Returns whether the trace agrees with the code from @walker on up to @wanted
 * targets, whatever the readings of unknown blocks are.
 */
static enum verdict explore(struct walker walker, unsigned int wanted,
			    unsigned int depth)
{
	enum verdict verdict = VERDICT_PROOF;
	bool is_final = false;

	while (verdict == VERDICT_PROOF && !is_final &&
	       walker.targets < wanted) {
		if (!*walker.steps || !block_of(&walker)->is_user)
			return VERDICT_OPEN;
		--*walker.steps;
		read_block(&walker);
		if (block_of(&walker)->kind < BLOCK_NO_CODE)
			verdict = run_block(&walker);
		else if (block_of(&walker)->kind == BLOCK_GENERATED)
			verdict = explore_unknown(&walker, wanted, depth,
						  &is_final);
		else
			return block_of(&walker)->kind == BLOCK_UNKNOWN ?
				       VERDICT_NO :
				       VERDICT_OPEN;
	}
	return verdict;
}

/* Returns the reading of the walker's block that is possible; BLOCK_NONE if several
 * are, or none. A single one is proved by what follows; of two, one was explored,
 * and *@targets is the number of targets until then.
 */
static uint32_t choose(struct walker *walker, unsigned int *targets)
{
	unsigned int wanted = walker->targets + PROOF_TARGETS;
	uint32_t readings[2];
	unsigned int count = find_readings(walker, readings);
	enum verdict first;
	enum verdict second;

	if (count < 2)
		return count ? readings[0] : BLOCK_NONE;
	first = explore_reading(*walker, readings[0], 0, wanted, 0);
	if (first == VERDICT_OPEN)
		return BLOCK_NONE;
	second = explore_reading(*walker, readings[1], 1, wanted, 0);
	if (first == second || second == VERDICT_OPEN)
		return BLOCK_NONE;
	*targets = wanted;
	walker->likely = first == VERDICT_NO;
	return readings[walker->likely];
}

/* Returns the place of the walker, with @block. */
static struct assumed_block place_of(const struct walker *walker,
				     uint32_t block)
{
	bool is_loaded = walker->bits_left;
	const struct trace_branch *branch = walker->next - is_loaded;

	return (struct assumed_block){
		.position = branch < walker->end ?
				    walker->base + branch->position :
				    UINT64_MAX,
		.block = block,
		.bits_left = is_loaded || branch == walker->end ?
				     walker->bits_left :
			     branch->kind == TRACE_BITS ? branch->count :
							  0,
	};
}

static bool is_same_place(const struct assumed_block *a,
			  const struct assumed_block *b)
{
	return a->position == b->position && a->bits_left == b->bits_left;
}

/* Walks ahead and queues the blocks that are proved. */
static void look_ahead(struct walker *walker, struct assumed_code *assumed)
{
	unsigned int targets[ASSUMED_MOST]; /* before each block */
	unsigned int explored = 0;

	assumed->next = 0;
	assumed->count = 0;
	while (*walker->steps && block_of(walker)->is_user) {
		--*walker->steps;
		read_block(walker);
		if (block_of(walker)->kind == BLOCK_GENERATED) {
			uint32_t block = assumed->count < ASSUMED_MOST ?
						 choose(walker, &explored) :
						 BLOCK_NONE;

			if (block == BLOCK_NONE)
				break;
			targets[assumed->count] = walker->targets;
			assumed->blocks[assumed->count++] =
				place_of(walker, block);
			walker->block = block;
		}
		if (block_of(walker)->kind >= BLOCK_NO_CODE ||
		    run_block(walker) != VERDICT_PROOF)
			break;
	}
	if (explored < walker->targets)
		explored = walker->targets;
	while (assumed->count &&
	       targets[assumed->count - 1] + PROOF_TARGETS > explored)
		assumed->count--;
}

/* Goes to the next block of the queue, if it is for the place @here. */
static bool consume_assumed(struct execution *execution,
			    const struct assumed_block *here)
{
	struct assumed_code *assumed = &execution->assumed;
	const struct assumed_block *next = &assumed->blocks[assumed->next];
	uint64_t address = execution->blocks[execution->block].ip;

	if (assumed->next == assumed->count || !is_same_place(next, here) ||
	    execution->blocks[next->block].ip != address)
		return false;
	assumed->next++;
	execution->block = next->block;
	reset_edges(&execution->blocks[next->block]);
	return true;
}

bool assume_code(struct execution *execution, const struct trace_branch *branch,
		 const struct trace_branch *end, unsigned int bits_left,
		 uint64_t position)
{
	unsigned int steps = MOST_STEPS;
	struct walker walker = {
		.execution = execution,
		.returns = execution->calls.returns,
		.block = execution->block,
		.bits_left = bits_left,
		.bits = bits_left ? branch->payload << (64 - bits_left) : 0,
		.next = bits_left ? branch + 1 : branch,
		.end = end,
		.steps = &steps,
		.base = position - branch->position,
	};
	const struct assumed_block here = place_of(&walker, BLOCK_NONE);

	if (execution->targets_ahead || execution->block == BLOCK_NONE ||
	    execution->blocks[execution->block].kind != BLOCK_GENERATED)
		return false;
	if (consume_assumed(execution, &here))
		return true;
	look_ahead(&walker, &execution->assumed);
	return consume_assumed(execution, &here);
}
