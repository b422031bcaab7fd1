/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_usual.h"
#include "execution/instruction/x86_opcode.h"

#include <string.h>

#define NOT_USUAL SIZE_MAX

/* What follows each opcode: n nothing, b 8 and d 32 bits, v 32 or by REX.W 64,
 * m ModR/M, B and D that and 8 or 32 bits, g ModR/M whose reg is part of the
 * opcode.  Of branches: j and i conditional ones by 8 and 32 bits, k and J jumps,
 * C a call, r a return.  All others are left to the library.
 */
static const char one_byte[] = "mmmmbd..mmmmbd.." /* add, or */
			       "mmmmbd..mmmmbd.." /* adc, sbb */
			       "mmmmbd..mmmmbd.." /* and, sub */
			       "mmmmbd..mmmmbd.." /* xor, cmp */
			       "................" /* REX */
			       "nnnnnnnnnnnnnnnn" /* push, pop */
			       "...m....dDbB...." /* movsxd, push, imul */
			       "jjjjjjjjjjjjjjjj" /* jcc */
			       "BD.Bmmmmmmmm.g.." /* test, xchg, mov, lea */
			       "n.......nn......" /* nop, cdqe, cqo */
			       "........bd......" /* test */
			       "bbbbbbbbvvvvvvvv" /* mov */
			       "...r.....n......" /* ret, leave */
			       "................"
			       "........CJ.k...."  /* call, jmp */
			       "......gg......gg"; /* not to div, inc to push */

/* The same of those behind 0f. */
static const char two_bytes[] =
	"................"
	"mm.............m" /* movups, nop */
	"........mm......" /* movaps */
	"................"
	"mmmmmmmmmmmmmmmm" /* cmov */
	".......m........" /* xorps */
	"................"
	"................"
	"iiiiiiiiiiiiiiii" /* jcc */
	"mmmmmmmmmmmmmmmm" /* set */
	"...mBm.....mBm.m" /* bt, shld, bts, shrd, imul */
	"......mm......mm" /* movzx, movsx */
	"................"
	"................"
	"................"
	"................";

static size_t modrm_size(const uint8_t *bytes)
{
	uint8_t mode = bytes[0] >> 6;
	uint8_t base = bytes[0] & 7;
	size_t size = 1;

	if (mode == 3)
		return size;
	if (base == 4) {
		base = bytes[1] & 7;
		size++;
	}
	if (mode == 1)
		return size + 1;
	return mode == 2 || base == 5 ? size + 4 : size;
}

/* Returns whether @opcode is a usual one with what its ModR/M says. */
static bool set_group(uint8_t opcode, uint8_t modrm,
		      struct instruction *instruction)
{
	uint8_t reg = modrm >> 3 & 7;

	switch (opcode) {
	case 0x8d:
		return modrm >> 6 != 3;
	case 0xf6:
	case 0xf7:
		return reg >= 2;
	case 0xfe:
		return reg <= 1;
	default:
		if (reg == 2)
			instruction->kind = INSTRUCTION_INDIRECT_CALL;
		if (reg == 4)
			instruction->kind = INSTRUCTION_INDIRECT_JUMP;
		return reg != 3 && reg != 5 && reg != 7;
	}
}

static int32_t by_32_bits(const uint8_t *bytes)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return distance;
}

/* A branch ends before the distance that it goes. */
static size_t set_branch(enum instruction_kind kind, uint64_t end,
			 int32_t distance, struct instruction *instruction)
{
	instruction->kind = (uint8_t)kind;
	instruction->target = end + (uint64_t)(int64_t)distance;
	return (size_t)end;
}

static size_t short_branch(enum instruction_kind kind, const uint8_t *bytes,
			   struct instruction *instruction)
{
	return set_branch(kind, 1, (int8_t)bytes[0], instruction);
}

static size_t near_branch(enum instruction_kind kind, const uint8_t *bytes,
			  struct instruction *instruction)
{
	return set_branch(kind, 4, by_32_bits(bytes), instruction);
}

/* Returns the size of what follows an opcode of @shape, NOT_USUAL if that is
 * another; what it does is set, targets from behind the opcode on.
 */
static size_t take_shape(char shape, uint8_t opcode, bool is_wide,
			 const uint8_t *bytes, struct instruction *instruction)
{
	switch (shape) {
	case 'n':
		return 0;
	case 'b':
		return 1;
	case 'd':
		return 4;
	case 'v':
		return is_wide ? 8 : 4;
	case 'm':
		return modrm_size(bytes);
	case 'B':
		return modrm_size(bytes) + 1;
	case 'D':
		return modrm_size(bytes) + 4;
	case 'g':
		return set_group(opcode, bytes[0], instruction) ?
			       modrm_size(bytes) :
			       NOT_USUAL;
	case 'j':
		return short_branch(INSTRUCTION_CONDITIONAL, bytes,
				    instruction);
	case 'i':
		return near_branch(INSTRUCTION_CONDITIONAL, bytes, instruction);
	case 'k':
		return short_branch(INSTRUCTION_JUMP, bytes, instruction);
	case 'J':
		return near_branch(INSTRUCTION_JUMP, bytes, instruction);
	case 'C':
		return near_branch(INSTRUCTION_CALL, bytes, instruction);
	case 'r':
		instruction->kind = INSTRUCTION_RETURN;
		return 0;
	default:
		return NOT_USUAL;
	}
}

bool x86_usual_read(uint64_t address, const uint8_t *bytes, size_t size,
		    struct instruction *instruction)
{
	struct instruction read = { 0 };
	bool has_rex;
	const uint8_t *opcode;
	bool is_second;
	size_t more;
	size_t begin;

	if (size < X86_LENGTH_LIMIT)
		return false;
	has_rex = (bytes[0] & 0xf0) == 0x40;
	opcode = bytes + has_rex;
	is_second = *opcode == 0x0f;
	opcode += is_second;
	begin = (size_t)(opcode + 1 - bytes);
	more = take_shape((is_second ? two_bytes : one_byte)[*opcode], *opcode,
			  has_rex && bytes[0] & 8, opcode + 1, &read);
	if (more == NOT_USUAL)
		return false;
	read.length = (uint8_t)(begin + more);
	if (read.kind == INSTRUCTION_CONDITIONAL ||
	    read.kind == INSTRUCTION_JUMP || read.kind == INSTRUCTION_CALL)
		read.target += address + begin;
	*instruction = read;
	return true;
}
