/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_code_internal.h"

#include "common/memory.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "execution/instruction/instruction_read.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_BITS = 9, MOST_BITS = 15, GROWTH_BITS = 3 };

/* A block may be in any of this many slots of its set. */
enum { SET_BITS = 2, SET_SLOTS = 1 << SET_BITS };

struct slot {
	const uint8_t *code; /* NULL: free */
	uint64_t target;     /* relative to the block's address */
	uint32_t work;
	uint16_t bytes;
	uint16_t last;
	uint8_t kind;
	uint8_t exit;
	bool writes_page_table;
};

_Static_assert(sizeof(struct slot) == 32, "two slots share a cache line");

/* The cache grows up to a megabyte: short traces need little, and the kernel's
 * code is not cached.
 */
struct block_memo {
	struct slot *slots; /* NULL before the first use */
	unsigned int bits;  /* log2 of their number */
	size_t puts;	    /* entries added since the slots were cleared */
};

struct block_memo *block_memo_new(void)
{
	return calloc(1, sizeof(struct block_memo));
}

void block_memo_free(struct block_memo *memo)
{
	if (memo)
		free(memo->slots);
	free(memo);
}

/* Returns the set for a block with its bytes at @code. */
static struct slot *set_of(const struct block_memo *memo, const uint8_t *code)
{
	size_t set = (uint64_t)(uintptr_t)code * 0x9e3779b97f4a7c15 >>
		     (64 - memo->bits + SET_BITS);

	return &memo->slots[set << SET_BITS];
}

/* Enlarges the cache if it is full, which clears all entries: they are soon
 * read again. If there is no memory for more slots, keeps the old ones. Returns
 * whether there are slots.
 */
static bool make_room(struct block_memo *memo)
{
	unsigned int bits = memo->slots ? memo->bits + GROWTH_BITS : LEAST_BITS;
	struct slot *slots;

	if (memo->slots &&
	    (memo->bits == MOST_BITS || memo->puts < (size_t)1 << memo->bits))
		return true;
	slots = large_memory_zeroed(sizeof(*slots) << bits);
	if (!slots)
		return memo->slots;
	free(memo->slots);
	*memo = (struct block_memo){ .slots = slots, .bits = bits };
	return true;
}

void block_memo_put(struct block_memo *memo, const uint8_t *code,
		    const struct block *block, const struct block_info *info)
{
	struct slot *set;

	if (!make_room(memo))
		return;
	memo->puts++;
	set = set_of(memo, code);
	memmove(set + 1, set, (SET_SLOTS - 1) * sizeof(*set));
	*set = (struct slot){
		.code = code,
		.target = info->target - block->ip,
		.work = block->work,
		.bytes = block->bytes,
		.last = info->last,
		.kind = block->kind,
		.exit = block->exit,
		.writes_page_table = info->writes_page_table,
	};
}

/* Returns the slot of the block at @code, or NULL. */
static const struct slot *find(const struct block_memo *memo,
			       const uint8_t *code)
{
	const struct slot *set = set_of(memo, code);

	for (size_t i = 0; i < SET_SLOTS; i++)
		if (set[i].code == code)
			return &set[i];
	return NULL;
}

bool block_memo_get(const struct block_memo *memo, const uint8_t *code,
		    size_t left, struct block *block, struct block_info *info)
{
	const struct slot *slot;

	if (!memo->slots)
		return false;
	slot = find(memo, code);
	if (!slot || slot->bytes > left)
		return false;
	block->work = slot->work;
	block->bytes = slot->bytes;
	block->kind = slot->kind;
	block->exit = slot->exit;
	info->target = slot->target + block->ip;
	info->last = slot->last;
	info->writes_page_table = slot->writes_page_table;
	return true;
}

void block_memo_clear(struct block_memo *memo)
{
	if (memo->puts)
		memset(memo->slots, 0, sizeof(*memo->slots) << memo->bits);
	memo->puts = 0;
}

bool block_code_init(struct block_code *code, struct code_space *space)
{
	*code = (struct block_code){
		.space = space,
		.memo = block_memo_new(),
	};
	return code->memo;
}

void block_code_free(struct block_code *code)
{
	block_memo_free(code->memo);
}

void block_code_forget(struct block_code *code, uint64_t first)
{
	if (code_space_of(code->space, first) != CODE_SPACE_KERNEL)
		block_memo_clear(code->memo);
}

static enum block_kind kind_of(const struct instruction *instruction)
{
	switch ((enum instruction_kind)instruction->kind) {
	case INSTRUCTION_PLAIN:
		return BLOCK_FALL;
	case INSTRUCTION_CONDITIONAL:
		return BLOCK_CONDITIONAL;
	case INSTRUCTION_JUMP:
		return BLOCK_JUMP;
	case INSTRUCTION_INDIRECT_JUMP:
		return BLOCK_INDIRECT_JUMP;
	case INSTRUCTION_CALL:
		return BLOCK_CALL;
	case INSTRUCTION_INDIRECT_CALL:
		return BLOCK_INDIRECT_CALL;
	case INSTRUCTION_RETURN:
		return BLOCK_RETURN;
	case INSTRUCTION_FAR_CALL:
		return BLOCK_FAR_CALL;
	case INSTRUCTION_FAR_RETURN:
		return BLOCK_FAR_RETURN;
	case INSTRUCTION_FAR_JUMP:
		return BLOCK_FAR_JUMP;
	}
	return BLOCK_UNKNOWN;
}

static uint8_t exit_of(enum block_kind kind)
{
	switch (kind) {
	case BLOCK_CONDITIONAL:
		return FLOW_EXIT_CONDITIONAL;
	case BLOCK_JUMP:
	case BLOCK_INDIRECT_JUMP:
		return FLOW_EXIT_JUMP;
	case BLOCK_CALL:
	case BLOCK_INDIRECT_CALL:
		return FLOW_EXIT_CALL;
	case BLOCK_RETURN:
		return FLOW_EXIT_RETURN;
	case BLOCK_FAR_CALL:
		return FLOW_EXIT_FAR_CALL;
	case BLOCK_FAR_RETURN:
		return FLOW_EXIT_FAR_RETURN;
	case BLOCK_FAR_JUMP:
		return FLOW_EXIT_FAR_JUMP;
	case BLOCK_UNREAD:
	case BLOCK_FALL:
	case BLOCK_NO_CODE:
	case BLOCK_CODE_CHANGED:
	case BLOCK_UNKNOWN:
	case BLOCK_GENERATED:
		return FLOW_EXIT_NONE;
	}
	return FLOW_EXIT_NONE;
}

/* The code from an address on that is known to be contiguous; empty if it was
 * not looked up yet.
 */
struct code_piece {
	const uint8_t *bytes;
	size_t left;
};

static enum block_kind not_read(const struct block_code *code, uint64_t address)
{
	if (code_space_is_unknown(code->space, address))
		return BLOCK_CODE_CHANGED;
	return code_space_is_generated(code->space, address) ? BLOCK_GENERATED :
							       BLOCK_NO_CODE;
}

/* Reads an instruction that spans several pieces, or whose end is unknown. */
static enum block_kind read_across(struct block_code *code, uint64_t address,
				   enum instruction_set set,
				   struct instruction *instruction)
{
	uint8_t bytes[BLOCK_LONGEST_INSTRUCTION];
	size_t count =
		code_space_copy(code->space, address, bytes, sizeof(bytes));
	int status = instruction_read(set, address, bytes, count, instruction);

	if (!status)
		return not_read(code, address + count);
	return status < 0 ? BLOCK_UNKNOWN : BLOCK_FALL;
}

/* Reads the instruction at @address, whose bytes are in *@piece, and advances
 * the piece. Returns BLOCK_FALL, or the reason why there is no instruction.
 */
static enum block_kind read_one(struct block_code *code, uint64_t address,
				enum instruction_set set,
				struct code_piece *piece,
				struct instruction *instruction)
{
	int status;

	if (!piece->left)
		piece->bytes =
			code_space_bytes(code->space, address, &piece->left);
	if (!piece->bytes)
		return not_read(code, address);
	status = instruction_read(set, address, piece->bytes, piece->left,
				  instruction);
	if (!status) {
		piece->left = 0;
		return read_across(code, address, set, instruction);
	}
	if (status < 0)
		return BLOCK_UNKNOWN;
	piece->bytes += instruction->length;
	piece->left -= instruction->length;
	return BLOCK_FALL;
}

/* Returns whether @instruction ends its block although it only continues to the
 * next instruction.
 */
static bool is_passed(const struct block_code *code,
		      const struct instruction *instruction)
{
	return instruction->is_barrier ||
	       (code->waits_are_branches && instruction->may_take_long);
}

/* Returns whether @block, whose last instruction is @instruction, is cut after
 * it, at @limit at the latest. Blocks that start in the same long code are cut
 * at the same address, so the code after that is one block: otherwise trace
 * that resumes at each address would cause the rest to be read anew each time.
 */
static bool is_cut(const struct block *block,
		   const struct instruction *instruction, uint64_t limit)
{
	uint64_t end = block->ip + block->bytes;
	uint64_t begin = end - instruction->length;

	if (end >= limit)
		return true;
	return block->bytes >= BLOCK_LEAST_SHARED &&
	       begin / BLOCK_SHARED_BYTES != end / BLOCK_SHARED_BYTES;
}

/* Reads the code of @block. Undecodable bytes form a separate block after the
 * decodable ones. Returns false if it met such bytes.
 */
static bool read_code(struct block_code *code, struct block *block,
		      struct block_info *info, uint64_t limit)
{
	struct code_piece piece = { 0 };
	struct instruction instruction = { 0 };
	bool is_whole = true;
	bool is_slow = false;
	bool is_end = false;
	uint32_t count = 0;

	block->bytes = 0;
	block->kind = BLOCK_FALL;
	info->writes_page_table = false;
	block->interrupts = INTERRUPTS_UNTOUCHED;
	while (block->kind == BLOCK_FALL && !info->writes_page_table &&
	       !block->interrupts && !is_cut(block, &instruction, limit)) {
		uint64_t address = block->ip + block->bytes;
		enum block_kind kind = read_one(code, address, info->set,
						&piece, &instruction);

		if (kind != BLOCK_FALL) {
			block->kind = count ? BLOCK_FALL : kind;
			is_whole = false;
			break;
		}
		is_end = is_passed(code, &instruction);
		block->kind = is_end ? BLOCK_JUMP : kind_of(&instruction);
		info->last = block->bytes;
		info->target = instruction.target;
		info->writes_page_table = instruction.writes_page_table;
		is_slow |= instruction.may_take_long;
		if (code->ends_at_interrupts && !block->is_user &&
		    (!instruction.counter ||
		     instruction.counter == code->preempt_counter))
			block->interrupts = instruction.interrupts;
		block->bytes += instruction.length;
		count++;
	}
	block->exit = is_end ? FLOW_EXIT_NONE : exit_of(block->kind);
	/* A call to the next instruction only reads the current address: the
	 * unit expects no return (Intel SDM, "Return Compression for RETs").
	 */
	if (block->kind == BLOCK_CALL && info->set <= INSTRUCTION_X86_64 &&
	    info->target == block->ip + block->bytes)
		block->kind = BLOCK_JUMP;
	block->work = count | (is_slow ? BLOCK_WORK_SLOW : 0);
	return is_whole;
}

/* Returns the bytes at @block if other processes may map them at other
 * addresses, and caching them is worthwhile. Targets are relative to addresses
 * in 64-bit mode only.
 */
static const uint8_t *shared_code(const struct block_code *code,
				  const struct block *block,
				  const struct block_info *info, size_t *left)
{
	if (info->space == CODE_SPACE_KERNEL || info->set != INSTRUCTION_X86_64)
		return NULL;
	return code_space_bytes(code->space, block->ip, left);
}

void block_code_read(struct block_code *code, struct block *block,
		     struct block_info *info, uint64_t end)
{
	size_t left;
	const uint8_t *bytes = shared_code(code, block, info, &left);

	if (bytes && block_memo_get(code->memo, bytes, left, block, info))
		return;
	if (read_code(code, block, info, end) && bytes && block->bytes <= left)
		block_memo_put(code->memo, bytes, block, info);
}

uint32_t block_code_count(struct block_code *code, uint64_t address,
			  enum instruction_set set, uint64_t end,
			  uint64_t *last)
{
	struct code_piece piece = { 0 };
	bool is_slow = false;
	uint32_t count = 0;

	while (address < end) {
		struct instruction instruction;

		if (read_one(code, address, set, &piece, &instruction) !=
		    BLOCK_FALL)
			return 0;
		*last = address;
		is_slow |= instruction.may_take_long;
		address += instruction.length;
		count++;
	}
	if (address != end)
		return 0;
	return count | (is_slow ? BLOCK_WORK_SLOW : 0);
}
