/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_blocks.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/libipt/branch.h"
#include "decoder/libipt/branch_cursor.h"
#include "decoder/libipt/libipt_parts.h"

/* No code runs so many blocks without a branch that takes trace. */
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

static struct branch branch_at(struct libipt *source, uint64_t address)
{
	size_t left;
	const uint8_t *bytes =
		code_space_bytes(source->code.space, address, &left);

	return bytes ? branch_read(bytes, left) : (struct branch){ 0 };
}

/* libipt does not tell the class of every last instruction: not of one that
 * it held back for an event, and libipt 2.1 has a class that is any indirect
 * branch.  No version tells whether a branch is direct, or how long a call is.
 */
static struct branch last_branch(struct libipt *source,
				 const struct pt_block *block)
{
	struct branch branch = { .exit = exit_of(block->iclass) };

	switch (branch.exit) {
	case FLOW_EXIT_NONE:
		if (block->iclass == ptic_other ||
		    block->iclass == ptic_ptwrite)
			return branch;
		return branch_at(source, block->end_ip);
	case FLOW_EXIT_JUMP:
		if (!branch_cursor_expects_address(source->cursor))
			return branch;
		return branch_at(source, block->end_ip);
	case FLOW_EXIT_CALL:
	case FLOW_EXIT_FAR_CALL:
		return branch_at(source, block->end_ip);
	case FLOW_EXIT_CONDITIONAL:
	case FLOW_EXIT_RETURN:
	case FLOW_EXIT_FAR_RETURN:
	case FLOW_EXIT_FAR_JUMP:
		return branch;
	}
	return branch;
}

static void emit_block(struct libipt *source, const struct pt_block *block)
{
	struct branch branch = last_branch(source, block);
	bool is_call = branch.exit == FLOW_EXIT_CALL ||
		       branch.exit == FLOW_EXIT_FAR_CALL;
	struct flow_stamp *stamp;
	struct flow_item *item = flow_batch_next(source->batch, &stamp);

	item->kind = FLOW_BLOCK;
	item->detail = branch.exit & 0xf;
	item->last_length = is_call ? branch.length & 0xf : 0;
	item->instructions = block->ninsn;
	item->last = (uint32_t)(block->end_ip - block->ip);
	item->ip = block->ip;
	branch_cursor_stamp(source->cursor, stamp);
	flow_batch_add(source->batch);
	source->last_ip = block->end_ip;
	if (!branch_cursor_branch(source->cursor, branch.exit,
				  branch.is_indirect))
		libipt_find_step(source);
}

/* Damaged trace can lead into a loop of jumps that needs no trace at all, and
 * libipt would follow it for ever.  Whether it reads on is looked at seldom.
 */
static bool is_stuck(struct libipt *source)
{
	uint64_t position = 0;
	uint64_t before = source->watched;

	if (++source->watch_blocks < WATCH_BLOCKS)
		return false;
	source->watch_blocks = 0;
	pt_blk_get_offset(source->blocks, &position);
	source->watched = position;
	return position == before;
}

/* After an error the block holds what ran before it, if anything. */
void libipt_take_block(struct libipt *source)
{
	struct pt_block block;

	block.ninsn = 0;
	source->status = pt_blk_next(source->blocks, &block, sizeof(block));
	if (block.ninsn)
		emit_block(source, &block);
	if (is_stuck(source) && source->status >= 0)
		source->status = -pte_bad_query;
}
