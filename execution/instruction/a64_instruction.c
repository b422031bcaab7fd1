/* SPDX-License-Identifier: MIT */
#include "execution/instruction/a64_instruction.h"
#include "common/error.h"
#include "execution/instruction/arm_encoding.h"

static uint64_t target_26(uint64_t address, uint32_t word)
{
	return address + (uint64_t)(arm_signed_field(word, 0, 26) * 4);
}

static uint64_t target_19(uint64_t address, uint32_t word)
{
	return address + (uint64_t)(arm_signed_field(word, 5, 19) * 4);
}

static uint64_t target_14(uint64_t address, uint32_t word)
{
	return address + (uint64_t)(arm_signed_field(word, 5, 14) * 4);
}

static uint64_t target_9(uint64_t address, uint32_t word)
{
	return address + (uint64_t)(arm_signed_field(word, 5, 9) * 4);
}

static uint64_t target_next(uint64_t address, uint32_t word)
{
	(void)word;
	return address + 4;
}

/* Returns whether @word is in none of the groups of the encodings below, by
 * bits 25 to 28 (DDI 0602, "Top-level encodings for A64").
 */
static bool is_of_another_group(uint32_t word)
{
	uint32_t group = word >> 25 & 0xf;

	return group > 3 && (group & 0xe) != 0xa;
}

/* Arm's A64 Instruction Set Architecture (DDI 0602), "Branches, Exception
 * Generating and System instructions", and "Reserved". The rest of that space,
 * at the end, is unallocated: future branches may use it.
 */
static const struct arm_encoding encodings[] = {
	/* B, BL */
	{ 0xfc000000, 0x14000000, INSTRUCTION_JUMP, target_26, 0, 0 },
	{ 0xfc000000, 0x94000000, INSTRUCTION_CALL, target_26, 0, 0 },
	/* B.cond, and with a hint BC.cond (FEAT_HBC) */
	{ 0xff000000, 0x54000000, INSTRUCTION_CONDITIONAL, target_19, 0, 0 },
	/* CBZ, CBNZ, TBZ, TBNZ */
	{ 0x7e000000, 0x34000000, INSTRUCTION_CONDITIONAL, target_19, 0, 0 },
	{ 0x7e000000, 0x36000000, INSTRUCTION_CONDITIONAL, target_14, 0, 0 },
	/* FEAT_CMPBR, where cc 4 and 5 are unallocated: with an immediate,
	 * which has bit 14 clear; with registers, where size 1 is unallocated
	 */
	{ 0x7fc00000, 0x75800000, INSTRUCTION_PLAIN, NULL, 0, 1 },
	{ 0x7f004000, 0x75000000, INSTRUCTION_CONDITIONAL, target_9, 0, 0 },
	{ 0x7fc00000, 0x74800000, INSTRUCTION_PLAIN, NULL, 0, 1 },
	{ 0x7f00c000, 0x74000000, INSTRUCTION_CONDITIONAL, target_9, 0, 0 },
	{ 0xff008000, 0x74008000, INSTRUCTION_CONDITIONAL, target_9, 0, 0 },
	/* RETAASPPC, RETABSPPC (FEAT_PAuth_LR) */
	{ 0xffc0001f, 0x5500001f, INSTRUCTION_RETURN, NULL, 0, 0 },
	/* BR, BRAAZ, BRABZ, BRAA, BRAB */
	{ 0xfffffc1f, 0xd61f0000, INSTRUCTION_INDIRECT_JUMP, NULL, 0, 0 },
	{ 0xfffff81f, 0xd61f081f, INSTRUCTION_INDIRECT_JUMP, NULL, 0, 0 },
	{ 0xfffff800, 0xd71f0800, INSTRUCTION_INDIRECT_JUMP, NULL, 0, 0 },
	/* BLR, BLRAAZ, BLRABZ, BLRAA, BLRAB */
	{ 0xfffffc1f, 0xd63f0000, INSTRUCTION_INDIRECT_CALL, NULL, 0, 0 },
	{ 0xfffff81f, 0xd63f081f, INSTRUCTION_INDIRECT_CALL, NULL, 0, 0 },
	{ 0xfffff800, 0xd73f0800, INSTRUCTION_INDIRECT_CALL, NULL, 0, 0 },
	/* RET; RETAA, RETAB, RETAASPPCR, RETABSPPCR */
	{ 0xfffffc1f, 0xd65f0000, INSTRUCTION_RETURN, NULL, 0, 0 },
	{ 0xfffffbe0, 0xd65f0be0, INSTRUCTION_RETURN, NULL, 0, 0 },
	/* ERET, ERETAA, ERETAB, DRPS, TEXIT (FEAT_TEV) */
	{ 0xffffffff, 0xd69f03e0, INSTRUCTION_FAR_RETURN, NULL, 0, 0 },
	{ 0xfffffbff, 0xd69f0bff, INSTRUCTION_FAR_RETURN, NULL, 0, 0 },
	{ 0xffffffff, 0xd6bf03e0, INSTRUCTION_FAR_RETURN, NULL, 0, 0 },
	{ 0xfffffbff, 0xd6ff03e0, INSTRUCTION_FAR_RETURN, NULL, 0, 0 },
	/* SVC, HVC, SMC, of which 0 is none; TENTER (FEAT_TEV) */
	{ 0xffe0001f, 0xd4000000, INSTRUCTION_PLAIN, NULL, 0, 1 },
	{ 0xffe0001c, 0xd4000000, INSTRUCTION_FAR_CALL, NULL, 0, 0 },
	{ 0xfffdf01f, 0xd4e00000, INSTRUCTION_FAR_CALL, NULL, 0, 0 },
	/* BRK, HLT; DCPS1 to 3, of which 0 is none */
	{ 0xffe0001f, 0xd4200000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xffe0001f, 0xd4400000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xffe0001f, 0xd4a00000, INSTRUCTION_PLAIN, NULL, 0, 1 },
	{ 0xffe0001c, 0xd4a00000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	/* WFE, WFI, WFET, WFIT */
	{ 0xffffffdf, 0xd503205f, INSTRUCTION_PLAIN, NULL, 1, 0 },
	{ 0xffffffc0, 0xd5031000, INSTRUCTION_PLAIN, NULL, 1, 0 },
	/* ISB; TSTART, whose failure is an element of its own (ETE) */
	{ 0xfffff0ff, 0xd50330df, INSTRUCTION_JUMP, target_next, 0, 0 },
	{ 0xffffffe0, 0xd5233060, INSTRUCTION_JUMP, target_next, 0, 0 },
	/* TTEST, hints, barriers, MSR (immediate) */
	{ 0xffffffe0, 0xd5233160, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xfffff01f, 0xd503201f, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xfffff01f, 0xd503301f, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xfff8f01f, 0xd500401f, INSTRUCTION_PLAIN, NULL, 0, 0 },
	/* SYS, SYSL, MSR, MRS: op0 is not 0; their pairs (FEAT_D128) */
	{ 0xffd80000, 0xd5080000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xffd00000, 0xd5100000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xfff80000, 0xd5480000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xffd00000, 0xd5500000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	/* TCHANGEF, TCHANGEB (FEAT_S1POE2) */
	{ 0xfff9fc00, 0xd5800000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0xfff9f000, 0xd5900000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	/* the rest of the space */
	{ 0x1c000000, 0x14000000, INSTRUCTION_PLAIN, NULL, 0, 1 },
	/* UDF, the rest of its space, and SME */
	{ 0xffff0000, 0x00000000, INSTRUCTION_PLAIN, NULL, 0, 0 },
	{ 0x9e000000, 0x00000000, INSTRUCTION_PLAIN, NULL, 0, 1 },
	{ 0x1a000000, 0x02000000, INSTRUCTION_PLAIN, NULL, 0, 1 },
};

int a64_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction)
{
	(void)set;
	if (size >= 4 && is_of_another_group(arm_word(bytes))) {
		instruction->length = 4;
		return 1;
	}
	return arm_encoding_read_word(encodings,
				      sizeof(encodings) / sizeof(*encodings),
				      address, bytes, size, instruction);
}
