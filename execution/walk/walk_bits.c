/* SPDX-License-Identifier: MIT */
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

/* Runs execution->block, whose branch consumes one bit, and goes on. Returns
 * false if it cannot: only conditional branches and, with a taken bit, returns
 * to their call site consume one.
 */
static bool take_bit(struct execution *execution, bool is_taken)
{
	uint8_t kind = execution->blocks[execution->block].kind;

	if (kind != BLOCK_CONDITIONAL && (kind != BLOCK_RETURN || !is_taken))
		return false;
	walk_run(execution);
	if (kind == BLOCK_RETURN)
		return walk_back(execution);
	return walk_along(execution, is_taken ? EDGE_TAKEN : EDGE_NEXT);
}

bool walk_bits(struct execution *execution, uint64_t bits, unsigned int count)
{
	if (!execution->lists_blocks) {
		walk_arrive(execution);
		execution->at_branch = false;
	}
	for (; count; count--) {
		execution->bits_left = (uint8_t)count;
		if (!walk_straight(execution) ||
		    !take_bit(execution, bits >> 63))
			return false;
		bits <<= 1;
	}
	return true;
}
