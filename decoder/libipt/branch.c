/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/branch.h"
#include "decoder/libipt/instruction_length.h"

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
		return direct(FLOW_EXIT_CONDITIONAL, 0);
	return (struct branch){ 0 };
}

/* Opcode 0xff: calls and jumps through a register or memory. */
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
		return direct(FLOW_EXIT_CONDITIONAL, 0);
	default:
		break;
	}
	if ((bytes[0] & 0xf0) == 0x70)
		return direct(FLOW_EXIT_CONDITIONAL, 0);
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

/* mwait, mwaitx, umwait and tpause, after their 0f. */
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

/* After an instruction of unknown length, try every byte offset. */
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
