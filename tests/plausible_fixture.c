/* SPDX-License-Identifier: MIT */
#include "tests/plausible_fixture.h"
#include "decoder/flow/flow.h"
#include "tests/etmv4_packets.h"

#include <stdint.h>

enum set { A64, A32, T32, SETS };

/* The captures' code decoded in each instruction set, by LLVM's disassembler:
 * all direct branches, including unintended ones.
 */
enum { ELSEWHERE = 0xffff };

struct direct_branch {
	uint8_t set;
	uint8_t from;
	uint16_t to;
};

static const struct direct_branch a64_branches[] = {
	{ A64, 0x04, 0x10 }, { A64, 0x0c, 0x20 },      { A64, 0x28, 0x30 },
	{ A64, 0x34, 0x00 }, { T32, 0x02, 0x0c },      { T32, 0x0a, 0x14 },
	{ T32, 0x12, 0x1c }, { T32, 0x16, ELSEWHERE }, { T32, 0x22, 0x2c },
	{ T32, 0x26, 0x2a }, { T32, 0x32, 0x3c },      { T32, 0x42, ELSEWHERE },
};

static const struct direct_branch a32_branches[] = {
	{ A32, 0x04, 0x10 },	  { A32, 0x0c, 0x20 },
	{ A32, 0x28, 0x30 },	  { A32, 0x34, 0x00 },
	{ T32, 0x02, ELSEWHERE }, { T32, 0x0a, ELSEWHERE },
	{ T32, 0x12, ELSEWHERE }, { T32, 0x16, ELSEWHERE },
	{ T32, 0x32, ELSEWHERE }, { T32, 0x40, ELSEWHERE },
	{ T32, 0x42, ELSEWHERE },
};

static const struct direct_branch vectors_branches[] = {
	{ A64, 0x00, 0x40 },	  { A64, 0x20, 0x60 },
	{ T32, 0x42, 0x4c },	  { T32, 0x46, ELSEWHERE },
	{ T32, 0x62, ELSEWHERE }, { T32, 0x66, ELSEWHERE },
};

static const struct direct_branch program_branches[] = {
	{ A32, 0x04, 0x30 },	  { A32, 0x0c, 0x18 },
	{ A32, 0x1c, 0x00 },	  { T32, 0x02, ELSEWHERE },
	{ T32, 0x0a, ELSEWHERE }, { T32, 0x12, ELSEWHERE },
	{ T32, 0x16, ELSEWHERE }, { T32, 0x22, ELSEWHERE },
	{ T32, 0x26, ELSEWHERE }, { T32, 0x32, 0x38 },
	{ T32, 0x3c, 0x20 },	  { T32, 0x40, 0x50 },
	{ T32, 0x48, 0x4c },	  { T32, 0x52, 0x5a },
	{ T32, 0x58, 0x5c },
};

/* A capture's code, and the branches in it. */
struct piece {
	uint64_t base;
	const uint32_t *code;
	size_t size;
	const struct direct_branch *branches;
	size_t count;
};

#define BRANCHES(branches) branches, sizeof(branches) / sizeof(*(branches))

/* Returns the code of @kind that contains @address; its size is 0 if there is
 * none.
 */
static struct piece find_piece(enum capture_name name, uint64_t address)
{
	const struct capture_kind *kind = &capture_kinds[name];
	const struct piece pieces[] = {
		{ ETMV4_USER, kind->program, kind->program_size,
		  BRANCHES(program_branches) },
		{ kind->base, kind->code, kind->code_size,
		  BRANCHES(vectors_branches) },
		{ kind->base, kind->code, kind->code_size,
		  BRANCHES(a32_branches) },
		{ kind->base, kind->code, kind->code_size,
		  BRANCHES(a64_branches) },
	};
	size_t i = name == CAPTURE_PTM || name == CAPTURE_ETMV3 ? 2 :
		   !kind->program				? 3 :
		   address - ETMV4_USER < kind->program_size	? 0 :
								  1;

	if (address - pieces[i].base < pieces[i].size)
		return pieces[i];
	return (struct piece){ .size = 0 };
}

static uint16_t half_at(const struct piece *piece, uint64_t offset)
{
	return (uint16_t)(piece->code[offset / 4] >> offset % 4 * 8);
}

static unsigned int size_at(const struct piece *piece, enum set set,
			    uint64_t offset)
{
	return set == T32 && half_at(piece, offset) < 0xe800 ? 2 : 4;
}

static const struct direct_branch *branch_at(const struct piece *piece,
					     enum set set, uint64_t offset)
{
	for (size_t i = 0; i < piece->count; i++)
		if (piece->branches[i].set == set &&
		    piece->branches[i].from == offset)
			return &piece->branches[i];
	return NULL;
}

/* Returns whether @block consists of as many instructions of @set as it states.
 */
static bool is_of_set(const struct piece *piece, enum set set,
		      const struct flow_item *block)
{
	uint64_t offset = block->ip - piece->base;
	uint64_t last = offset + block->last;

	if (set != T32 && offset % 4)
		return false;
	for (size_t i = 1; i < block->instructions && offset < last; i++)
		offset += size_at(piece, set, offset);
	return offset == last;
}

static bool may_follow(const struct piece *piece, enum set set,
		       const struct flow_item *block,
		       const struct flow_item *next)
{
	uint64_t last = block->ip + block->last - piece->base;
	uint64_t behind = last + size_at(piece, set, last);
	const struct direct_branch *branch = branch_at(piece, set, last);
	uint64_t where = next->ip - piece->base;

	switch (block->detail) {
	case FLOW_EXIT_NONE:
		return where == behind;
	case FLOW_EXIT_CONDITIONAL:
		return branch && (where == behind || where == branch->to);
	case FLOW_EXIT_JUMP:
	case FLOW_EXIT_CALL:
		return !branch || where == branch->to;
	default:
		return true;
	}
}

static bool follows(enum capture_name kind, const struct flow_item *block,
		    const struct flow_item *next)
{
	struct piece piece = find_piece(kind, block->ip);

	if (block->ip + block->last - piece.base >= piece.size)
		return false;
	for (enum set set = A64; set < SETS; set++)
		if (is_of_set(&piece, set, block) &&
		    may_follow(&piece, set, block, next))
			return true;
	return false;
}

bool plausible_fixture_check(const struct array *items, enum capture_name kind)
{
	for (size_t i = 1; i < items->count; i++) {
		const struct flow_item *item = array_at(items, i);

		if (item->kind == FLOW_BLOCK && item[-1].kind == FLOW_BLOCK &&
		    !follows(kind, &item[-1], item))
			return false;
	}
	return true;
}
