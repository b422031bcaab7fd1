/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: Intel SDM volume 2, appendix A (opcode maps); 64-bit mode. */
#include "machine/truth/branch.h"

#include "machine/truth/format.h"

#include <string.h>

static const struct branch none = { 0 };
static const struct branch conditional = { .kind = TRUTH_CONDITIONAL };
static const struct branch jump = { .kind = TRUTH_JUMP };
static const struct branch indirect_jump = { .kind = TRUTH_INDIRECT_JUMP };
static const struct branch call = { .kind = TRUTH_CALL,
				    .near_sp = true,
				    .sp_change = 8 };
static const struct branch indirect_call = { .kind = TRUTH_INDIRECT_CALL,
					     .near_sp = true,
					     .sp_change = 8 };
static const struct branch near_return = { .kind = TRUTH_RETURN,
					   .near_sp = true,
					   .sp_change = -8 };
/* syscall and sysret do not change the stack pointer. */
static const struct branch system_call = { .kind = TRUTH_FAR_CALL,
					   .near_sp = true };
static const struct branch system_return = { .kind = TRUTH_FAR_RETURN,
					     .near_sp = true };
static const struct branch far_call = { .kind = TRUTH_FAR_CALL,
					.far_sp = true };
static const struct branch far_return = { .kind = TRUTH_FAR_RETURN,
					  .far_sp = true };
static const struct branch trap = { .traps = true };
static const struct branch halt = { .traps = true, .halts = true };

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 ||
	       byte == 0xf3 || byte == 0x26 || byte == 0x2e || byte == 0x36 ||
	       byte == 0x3e || byte == 0x64 || byte == 0x65;
}

/* Returns the index of the opcode's first byte. */
static size_t skip_prefixes(const uint8_t *bytes, size_t size)
{
	size_t i = 0;

	while (i < size && is_prefix(bytes[i]))
		i++;
	if (i < size && (bytes[i] & 0xf0) == 0x40)
		i++;
	return i;
}

static struct branch two_byte(uint8_t opcode, uint8_t modrm)
{
	if ((opcode & 0xf0) == 0x80)
		return conditional;
	if (opcode == 0x05 || opcode == 0x34)
		return system_call;
	if (opcode == 0x07)
		return system_return;
	if (opcode == 0x35)
		return far_return;
	if (opcode == 0x0b)
		return trap;
	if (opcode == 0x01 && modrm == 0xc9)
		return halt;
	return none;
}

static struct branch group_five(uint8_t modrm)
{
	switch ((modrm >> 3) & 7) {
	case 2:
		return indirect_call;
	case 4:
		return indirect_jump;
	case 3:
	case 5:
		return far_call;
	default:
		return none;
	}
}

static struct branch near_return_of(const uint8_t *imm16)
{
	struct branch branch = near_return;
	uint16_t bytes;

	memcpy(&bytes, imm16, sizeof(bytes));
	branch.sp_change -= bytes;
	return branch;
}

static struct branch one_byte(const uint8_t *at, size_t left)
{
	uint8_t opcode = at[0];

	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
		return conditional;
	if (opcode == 0xe9 || opcode == 0xeb)
		return jump;
	if (opcode == 0xe8)
		return call;
	if (opcode == 0xc3)
		return near_return;
	if (opcode == 0xc2 && left >= 3)
		return near_return_of(at + 1);
	if (opcode == 0xca || opcode == 0xcb || opcode == 0xcf)
		return far_return;
	if (opcode == 0xcc || opcode == 0xcd || opcode == 0xf1)
		return trap;
	if (opcode == 0xf4)
		return halt;
	return none;
}

struct branch branch_classify(const uint8_t *bytes, size_t size)
{
	size_t i = skip_prefixes(bytes, size);
	size_t left = size - i;

	if (!left)
		return none;
	if (bytes[i] == 0x0f && left >= 2)
		return two_byte(bytes[i + 1], left > 2 ? bytes[i + 2] : 0);
	if (bytes[i] == 0xff && left >= 2)
		return group_five(bytes[i + 1]);
	return one_byte(bytes + i, left);
}

enum special branch_special(const uint8_t *bytes, size_t size)
{
	size_t i = skip_prefixes(bytes, size);

	if (size - i < 2 || bytes[i] != 0x0f)
		return SPECIAL_NONE;
	if (bytes[i + 1] == 0x30)
		return SPECIAL_CONTROL;
	if (bytes[i + 1] == 0x31)
		return SPECIAL_CLOCK;
	if (bytes[i + 1] == 0xa2)
		return SPECIAL_HAND_OVER;
	if (size - i >= 3 && bytes[i + 1] == 0x01 && bytes[i + 2] == 0xf9)
		return SPECIAL_CLOCK;
	return SPECIAL_NONE;
}
