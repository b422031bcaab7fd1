/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: Arm ARM, "A64 instruction set encoding". */
#include "machine/truth/branch.h"

#include "machine/truth/format.h"

#include <string.h>

static const struct branch none = { 0 };

/* No branch touches the stack pointer; ERET changes which one is in use. */
static const struct {
	uint32_t mask, value;
	struct branch branch;
} table[] = {
	{ 0xff00000e, 0x5400000e, { .kind = TRUTH_JUMP } },
	{ 0xff000000, 0x54000000, { .kind = TRUTH_CONDITIONAL } },
	{ 0x7c000000, 0x34000000, { .kind = TRUTH_CONDITIONAL } },
	{ 0xfc000000, 0x14000000, { .kind = TRUTH_JUMP } },
	{ 0xfc000000, 0x94000000, { .kind = TRUTH_CALL, .near_sp = true } },
	{ 0xfeff0000,
	  0xd61f0000,
	  { .kind = TRUTH_INDIRECT_JUMP, .near_sp = true } },
	{ 0xfeff0000,
	  0xd63f0000,
	  { .kind = TRUTH_INDIRECT_CALL, .near_sp = true } },
	{ 0xfeff0000, 0xd65f0000, { .kind = TRUTH_RETURN, .near_sp = true } },
	{ 0xffff0000, 0xd69f0000, { .kind = TRUTH_FAR_RETURN, .far_sp = true } },
	{ 0xffe0001f,
	  0xd4000001, /* SVC */
	  { .kind = TRUTH_FAR_CALL, .near_sp = true, .calls = true } },
	{ 0xffe0001f, 0xd4200000, { .traps = true } }, /* BRK */
	/* MRS of an ID register: in user space Linux emulates it. */
	{ 0xfffff000, 0xd5380000, { .traps = true } },
	{ 0xffffffff, 0xd503205f, { .halts = true } }, /* WFE */
	{ 0xffffffff, 0xd503207f, { .halts = true } }, /* WFI */
	{ 0xffffffc0, 0xd5031000, { .halts = true } }, /* with a timeout */
};

static uint32_t instruction(const uint8_t *bytes, size_t size)
{
	uint32_t insn = 0;

	memcpy(&insn, bytes, size < sizeof(insn) ? size : sizeof(insn));
	return insn;
}

struct branch branch_classify(const uint8_t *bytes, size_t size)
{
	uint32_t insn = instruction(bytes, size);

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if ((insn & table[i].mask) == table[i].value)
			return table[i].branch;
	return none;
}

/* MSR of TRC*, TRB*, TRFCR_EL1; MRS of the generic timer's counts; a move to
 * the register that is always zero.
 */
enum special branch_special(const uint8_t *bytes, size_t size)
{
	uint32_t insn = instruction(bytes, size);

	if ((insn & 0xffff0000) == 0xd5110000 ||
	    (insn & 0xffffff00) == 0xd5189b00 ||
	    (insn & 0xffffffe0) == 0xd5181220)
		return SPECIAL_CONTROL;
	if ((insn & 0xffffff00) == 0xd53be000 && insn >> 5 & 3 &&
	    (insn >> 5 & 7) != 3 && (insn >> 5 & 7) != 7)
		return SPECIAL_CLOCK;
	if (insn == 0xd2a96a9f)
		return SPECIAL_HAND_OVER;
	return SPECIAL_NONE;
}
