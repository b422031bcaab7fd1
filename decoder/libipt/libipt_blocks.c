/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_blocks.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "decoder/libipt/branch.h"
#include "decoder/libipt/libipt_segment.h"

#include <intel-pt.h>
#include <stdbool.h>

/* No real code runs this many blocks without a branch that needs trace. */
enum { WATCH_BLOCKS = 64 * 1024 };

static enum flow_exit exit_of(enum pt_insn_class class)
{
	switch ((int)class) {
	case ptic_call:
		return FLOW_EXIT_CALL;
	case ptic_return:
		return FLOW_EXIT_RETURN;
	case ptic_jump:
		return FLOW_EXIT_JUMP;
	case ptic_cond_jump:
		return FLOW_EXIT_CONDITIONAL;
	case ptic_far_call:
		return FLOW_EXIT_FAR_CALL;
	case ptic_far_return:
		return FLOW_EXIT_FAR_RETURN;
	case ptic_far_jump:
		return FLOW_EXIT_FAR_JUMP;
	default:
		return FLOW_EXIT_NONE;
	}
}

static struct branch branch_at(struct code_space *code, uint64_t address)
{
	size_t left;
	const uint8_t *bytes = code_space_bytes(code, address, &left);

	return bytes ? branch_read(bytes, left) : (struct branch){ 0 };
}

/* libipt does not report the class of every last instruction: not if it delayed
 * the instruction for an event, and libipt 2.1 has a class for any indirect
 * branch. No version reports whether a branch is direct, or how long a call is.
 */
static struct branch last_branch(const struct libipt_segment *segment,
				 struct code_space *code,
				 const struct pt_block *block)
{
	struct branch branch = { .exit = exit_of(block->iclass) };

	switch (branch.exit) {
	case FLOW_EXIT_NONE:
		if (block->iclass == ptic_other ||
		    block->iclass == ptic_ptwrite)
			return branch;
		return branch_at(code, block->end_ip);
	case FLOW_EXIT_JUMP:
		if (!libipt_segment_expects_address(segment))
			return branch;
		return branch_at(code, block->end_ip);
	case FLOW_EXIT_CALL:
	case FLOW_EXIT_FAR_CALL:
		return branch_at(code, block->end_ip);
	case FLOW_EXIT_CONDITIONAL:
	case FLOW_EXIT_RETURN:
	case FLOW_EXIT_FAR_RETURN:
	case FLOW_EXIT_FAR_JUMP:
		return branch;
	}
	return branch;
}

static void emit_block(struct libipt_segment *segment,
		       const struct pt_block *block, struct branch branch)
{
	bool is_call = branch.exit == FLOW_EXIT_CALL ||
		       branch.exit == FLOW_EXIT_FAR_CALL;
	struct flow_item *item = libipt_segment_next(segment);

	item->kind = FLOW_BLOCK;
	item->detail = branch.exit & 0xf;
	item->last_length = is_call ? branch.length & 0xf : 0;
	item->instructions = block->ninsn;
	item->last = (uint32_t)(block->end_ip - block->ip);
	item->ip = block->ip;
	libipt_segment_add(segment);
	libipt_segment_pass_branch(segment, branch.exit, branch.is_indirect);
}

/* Damaged trace can lead into a loop of jumps that needs no trace at all, which
 * libipt would follow forever. Checks rarely whether libipt still reads.
 */
static bool is_stuck(struct libipt_blocks *blocks,
		     const struct libipt_segment *segment)
{
	uint64_t before = blocks->watched;

	if (++blocks->watch_blocks < WATCH_BLOCKS)
		return false;
	blocks->watch_blocks = 0;
	blocks->watched = libipt_segment_position(segment);
	return blocks->watched == before;
}

/* After an error the block contains the instructions before it, if any. */
int libipt_blocks_take(struct libipt_blocks *blocks,
		       struct libipt_segment *segment, struct code_space *code)
{
	struct pt_block block;
	int status;

	block.ninsn = 0;
	status = pt_blk_next(libipt_segment_decoder(segment), &block,
			     sizeof(block));
	if (block.ninsn) {
		emit_block(segment, &block, last_branch(segment, code, &block));
		blocks->last_ip = block.end_ip;
	}
	if (is_stuck(blocks, segment) && status >= 0)
		return -pte_bad_query;
	return status;
}
