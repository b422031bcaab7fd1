/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/branch_internal.h"

#include <stdbool.h>

/* The bytes that follow an opcode. */
enum part {
	MODRM = 1,
	IMM8 = 2,
	IMM16 = 4,
	IMM_Z = 8,    /* 4 bytes, 2 with an operand size prefix */
	IMM_V = 16,   /* like IMM_Z, but 8 with REX.W */
	OFFSET = 32,  /* an address of 8 bytes */
	GROUP_3 = 64, /* an immediate only for some ModR/M */
	UNKNOWN = 128,
};

struct instruction {
	const uint8_t *bytes;
	size_t size;
	size_t at;
	bool is_wide;  /* REX.W */
	bool is_short; /* operand size prefix */
};

static uint8_t arithmetic_parts(uint8_t opcode)
{
	switch (opcode & 7) {
	case 4:
		return IMM8;
	case 5:
		return IMM_Z;
	case 6:
	case 7:
		return 0;
	default:
		return MODRM;
	}
}

static uint8_t one_byte_parts(uint8_t opcode)
{
	if (opcode < 0x40)
		return arithmetic_parts(opcode);
	if (opcode >= 0x70 && opcode <= 0x7f)
		return IMM8;
	if (opcode >= 0x84 && opcode <= 0x8f)
		return MODRM;
	if (opcode >= 0xa0 && opcode <= 0xa3)
		return OFFSET;
	if (opcode >= 0xb0 && opcode <= 0xb7)
		return IMM8;
	if (opcode >= 0xb8 && opcode <= 0xbf)
		return IMM_V;
	if ((opcode >= 0xd0 && opcode <= 0xd3) || (opcode & 0xf8) == 0xd8)
		return MODRM;
	if (opcode >= 0xe0 && opcode <= 0xe7)
		return IMM8;
	switch (opcode) {
	case 0x62:
	case 0xc4:
	case 0xc5:
		return UNKNOWN;
	case 0x63:
	case 0xfe:
	case 0xff:
		return MODRM;
	case 0x68:
	case 0xa9:
	case 0xe8:
	case 0xe9:
		return IMM_Z;
	case 0x69:
	case 0x81:
	case 0xc7:
		return MODRM | IMM_Z;
	case 0x6a:
	case 0xa8:
	case 0xcd:
	case 0xeb:
		return IMM8;
	case 0x6b:
	case 0x80:
	case 0x82:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6:
		return MODRM | IMM8;
	case 0xc2:
	case 0xca:
		return IMM16;
	case 0xc8:
		return IMM16 | IMM8;
	case 0xf6:
	case 0xf7:
		return MODRM | GROUP_3;
	default:
		return 0;
	}
}

static uint8_t two_byte_parts(uint8_t opcode)
{
	if (opcode >= 0x80 && opcode <= 0x8f)
		return IMM_Z;
	if ((opcode >= 0x30 && opcode <= 0x37) || (opcode & 0xf8) == 0xc8)
		return 0;
	if (opcode >= 0x70 && opcode <= 0x73)
		return MODRM | IMM8;
	switch (opcode) {
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x09:
	case 0x0b:
	case 0x77:
	case 0xa0:
	case 0xa1:
	case 0xa2:
	case 0xa8:
	case 0xa9:
	case 0xaa:
		return 0;
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4:
	case 0xc5:
	case 0xc6:
		return MODRM | IMM8;
	default:
		return MODRM;
	}
}

static uint8_t next_byte(struct instruction *instruction)
{
	uint8_t byte = 0;

	if (instruction->at < instruction->size)
		byte = instruction->bytes[instruction->at];
	instruction->at++;
	return byte;
}

static bool is_legacy_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 ||
	       byte == 0xf3;
}

/* Reads prefixes and opcode. Returns the parts that follow (enum part), and
 * sets *@opcode.
 */
static uint8_t read_opcode(struct instruction *instruction, uint8_t *opcode)
{
	*opcode = next_byte(instruction);
	while (is_legacy_prefix(*opcode)) {
		instruction->is_short |= *opcode == 0x66;
		*opcode = next_byte(instruction);
	}
	if ((*opcode & 0xf0) == 0x40) {
		instruction->is_wide = *opcode & 8;
		*opcode = next_byte(instruction);
	}
	if (*opcode != 0x0f)
		return one_byte_parts(*opcode);
	*opcode = next_byte(instruction);
	if (*opcode == 0x38 || *opcode == 0x3a) {
		next_byte(instruction);
		return *opcode == 0x3a ? MODRM | IMM8 : MODRM;
	}
	return two_byte_parts(*opcode);
}

/* Skips ModR/M, SIB and displacement. Returns ModR/M's register field, which is
 * part of the opcode in some groups.
 */
static uint8_t read_modrm(struct instruction *instruction)
{
	uint8_t modrm = next_byte(instruction);
	uint8_t mode = modrm >> 6;
	uint8_t base = modrm & 7;

	if (mode != 3) {
		if (base == 4)
			base = next_byte(instruction) & 7;
		if (mode == 1)
			instruction->at += 1;
		else if (mode == 2 || base == 5)
			instruction->at += 4;
	}
	return modrm >> 3 & 7;
}

size_t instruction_length(const uint8_t *bytes, size_t size)
{
	struct instruction instruction = { .bytes = bytes, .size = size };
	uint8_t opcode;
	uint8_t parts = read_opcode(&instruction, &opcode);
	size_t operand = instruction.is_short ? 2 : 4;

	if (parts & UNKNOWN)
		return 0;
	if ((parts & MODRM) && read_modrm(&instruction) < 2 &&
	    (parts & GROUP_3))
		parts |= opcode & 1 ? IMM_Z : IMM8;
	if (parts & IMM8)
		instruction.at += 1;
	if (parts & IMM16)
		instruction.at += 2;
	if (parts & IMM_Z)
		instruction.at += operand;
	if (parts & IMM_V)
		instruction.at += instruction.is_wide ? 8 : operand;
	if (parts & OFFSET)
		instruction.at += 8;
	return instruction.at <= size ? instruction.at : 0;
}

/* The longest instruction. */
enum { LENGTH_LIMIT = 15 };

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return (byte & 0xf0) == 0x40; /* REX */
	}
}

/* Returns the size of ModR/M including SIB and displacement. */
static size_t modrm_size(const uint8_t *bytes, size_t size)
{
	uint8_t mode = bytes[0] >> 6;
	uint8_t base = bytes[0] & 7;
	size_t length = 1;

	if (mode == 3)
		return length;
	if (base == 4) {
		if (size < 2)
			return 0;
		base = bytes[1] & 7;
		length++;
	}
	if (mode == 1)
		return length + 1;
	if (mode == 2 || base == 5)
		return length + 4;
	return length;
}

static struct branch direct(enum flow_exit exit, size_t length)
{
	return (struct branch){ .exit = exit, .length = (uint8_t)length };
}

static struct branch read_two_byte(uint8_t opcode, size_t before)
{
	switch (opcode) {
	case 0x05: /* syscall */
	case 0x34: /* sysenter */
		return direct(FLOW_EXIT_FAR_CALL, before + 2);
	case 0x07: /* sysret */
	case 0x35: /* sysexit */
		return direct(FLOW_EXIT_FAR_RETURN, 0);
	default:
		break;
	}
	if ((opcode & 0xf0) == 0x80)
		return direct(FLOW_EXIT_CONDITIONAL, before + 6);
	return (struct branch){ 0 };
}

/* Decodes opcode 0xff: calls and jumps through a register or memory. */
static struct branch read_group_5(const uint8_t *bytes, size_t size,
				  size_t before)
{
	static const enum flow_exit exits[8] = {
		[2] = FLOW_EXIT_CALL,
		[3] = FLOW_EXIT_FAR_CALL,
		[4] = FLOW_EXIT_JUMP,
		[5] = FLOW_EXIT_FAR_JUMP,
	};
	struct branch branch = { 0 };

	if (!size)
		return branch;
	branch.exit = exits[bytes[0] >> 3 & 7];
	if (branch.exit != FLOW_EXIT_CALL && branch.exit != FLOW_EXIT_JUMP)
		return branch;
	branch.is_indirect = true;
	branch.length = (uint8_t)(before + modrm_size(bytes, size));
	return branch;
}

static struct branch read_one_byte(const uint8_t *bytes, size_t size,
				   size_t before)
{
	switch (bytes[0]) {
	case 0xe8:
		return direct(FLOW_EXIT_CALL, before + 5);
	case 0xe9:
		return direct(FLOW_EXIT_JUMP, before + 5);
	case 0xeb:
		return direct(FLOW_EXIT_JUMP, before + 2);
	case 0xff:
		return read_group_5(bytes + 1, size - 1, before + 1);
	case 0xc2:
	case 0xc3:
		return direct(FLOW_EXIT_RETURN, 0);
	case 0xca:
	case 0xcb:
	case 0xcf:
		return direct(FLOW_EXIT_FAR_RETURN, 0);
	case 0xcc:
	case 0xf1:
		return direct(FLOW_EXIT_FAR_CALL, before + 1);
	case 0xcd:
		return direct(FLOW_EXIT_FAR_CALL, before + 2);
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		return direct(FLOW_EXIT_CONDITIONAL, before + 2);
	default:
		break;
	}
	if ((bytes[0] & 0xf0) == 0x70)
		return direct(FLOW_EXIT_CONDITIONAL, before + 2);
	return (struct branch){ 0 };
}

struct branch branch_read(const uint8_t *bytes, size_t size)
{
	size_t at = 0;
	struct branch branch = { 0 };

	if (size > LENGTH_LIMIT)
		size = LENGTH_LIMIT;
	while (at < size && is_prefix(bytes[at]))
		at++;
	if (at + 1 < size && bytes[at] == 0x0f)
		return read_two_byte(bytes[at + 1], at);
	if (at < size)
		branch = read_one_byte(bytes + at, size - at, at);
	if (branch.length > LENGTH_LIMIT)
		branch.length = 0;
	return branch;
}

static bool is_string_opcode(uint8_t byte)
{
	switch (byte) {
	case 0x6c: /* ins */
	case 0x6d:
	case 0x6e: /* outs */
	case 0x6f:
	case 0xa4: /* movs */
	case 0xa5:
	case 0xa6: /* cmps */
	case 0xa7:
	case 0xaa: /* stos */
	case 0xab:
	case 0xac: /* lods */
	case 0xad:
	case 0xae: /* scas */
	case 0xaf:
		return true;
	default:
		return false;
	}
}

/* Returns whether @bytes, after a 0f, are mwait, mwaitx, umwait or tpause. */
static bool is_two_byte_wait(const uint8_t *bytes, size_t size)
{
	if (size < 2)
		return false;
	return (bytes[0] == 0x01 && (bytes[1] == 0xc9 || bytes[1] == 0xfb)) ||
	       (bytes[0] == 0xae && (bytes[1] & 0xf8) == 0xf0);
}

/* Returns whether the instruction repeats itself or waits. */
static bool may_take_long(const uint8_t *bytes, size_t size)
{
	bool is_repeated = false;
	bool is_wide = false;
	size_t at = 0;

	for (; at < size && is_prefix(bytes[at]); at++) {
		is_repeated |= bytes[at] == 0xf2 || bytes[at] == 0xf3;
		is_wide |= bytes[at] == 0x66;
	}
	if (at == size)
		return false;
	if (bytes[at] != 0x0f)
		return bytes[at] == 0xf4 ||
		       (is_repeated && is_string_opcode(bytes[at]));
	/* Without a prefix, 0f ae f0 is mfence. */
	return is_two_byte_wait(bytes + at + 1, size - at - 1) &&
	       (bytes[at + 1] == 0x01 || is_repeated || is_wide);
}

/* After an instruction of unknown length, tries every byte offset. */
bool block_looks_slow(const uint8_t *bytes, size_t size, size_t last)
{
	size_t at = 0;

	while (at <= last && at < size) {
		size_t length = instruction_length(bytes + at, size - at);

		if (may_take_long(bytes + at, size - at))
			return true;
		at += length ? length : 1;
	}
	return false;
}
