/* SPDX-License-Identifier: MIT */
#include "execution/instruction/arm_instruction.h"

#include "common/error.h"

/* The instructions whose bits in mask are equal to bits. */
struct arm_encoding {
	uint32_t mask;
	uint32_t bits;
	enum instruction_kind kind;
	/* Returns the target of the branch @word at @address; NULL if the
	 * target is not in the instruction.
	 */
	uint64_t (*target)(uint64_t address, uint32_t word);
	bool may_take_long;
	bool is_unallocated; /* the effect of these instructions is unknown */
};

/* Sets the target. An encoding whose target does not depend on the word
 * continues to the next instruction: it is a barrier.
 */
static void set_target(const struct arm_encoding *encoding, uint64_t address,
		       uint32_t word, struct instruction *instruction)
{
	instruction->target = encoding->target(address, word);
	instruction->is_barrier = encoding->target(address, ~word) ==
				  instruction->target;
}

/* Fills *@instruction, except its length, from the first of @count @encodings
 * that matches @word at @address; if none does, the instruction is plain.
 *
 * Returns 1, or -ERROR_UNSUPPORTED if it is unallocated.
 */
static int arm_encoding_apply(const struct arm_encoding *encodings,
			      size_t count, uint64_t address, uint32_t word,
			      struct instruction *instruction)
{
	for (size_t i = 0; i < count; i++) {
		const struct arm_encoding *encoding = &encodings[i];

		if ((word & encoding->mask) != encoding->bits)
			continue;
		if (encoding->is_unallocated)
			return -ERROR_UNSUPPORTED;
		instruction->kind = (uint8_t)encoding->kind;
		instruction->may_take_long = encoding->may_take_long;
		if (encoding->target)
			set_target(encoding, address, word, instruction);
		return 1;
	}
	return 1;
}

/* Returns the @bits bits of @word from bit @from as a signed number. */
static int64_t arm_signed_field(uint32_t word, unsigned int from,
				unsigned int bits)
{
	uint64_t field = word >> from & ((UINT64_C(1) << bits) - 1);
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (int64_t)((field ^ sign) - sign);
}

static uint32_t arm_halfword(const uint8_t *bytes)
{
	return (uint32_t)(bytes[0] | bytes[1] << 8);
}

uint32_t arm_word(const uint8_t *bytes)
{
	return arm_halfword(bytes) | arm_halfword(bytes + 2) << 16;
}

/* Like arm_encoding_apply(), for an instruction of one word at @bytes, of which
 * @size are available; also sets the length. Also returns 0, if the word is
 * incomplete.
 */
static int arm_encoding_read_word(const struct arm_encoding *encodings,
				  size_t count, uint64_t address,
				  const uint8_t *bytes, size_t size,
				  struct instruction *instruction)
{
	if (size < 4)
		return 0;
	instruction->length = 4;
	return arm_encoding_apply(encodings, count, address, arm_word(bytes),
				  instruction);
}

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
static const struct arm_encoding a64_encodings[] = {
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
	/* SVC, HVC, SMC (bits 0 to 1; 0 is unallocated); TENTER (FEAT_TEV) */
	{ 0xffe0001f, 0xd4000000, INSTRUCTION_PLAIN, NULL, 0, 1 },
	{ 0xffe0001c, 0xd4000000, INSTRUCTION_FAR_CALL, NULL, 0, 0 },
	{ 0xfffdf01f, 0xd4e00000, INSTRUCTION_FAR_CALL, NULL, 0, 0 },
	/* BRK, HLT; DCPS1 to 3 (bits 0 to 1; 0 is unallocated) */
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

/* Returns the effect of @word on DAIF.I, by the encodings of DAIFSet, DAIFClr
 * and DAIF ("MSR (immediate)", "MSR (register)").
 */
static uint8_t interrupts_of(uint32_t word)
{
	const uint32_t masks_interrupts = 2 << 8; /* in the immediate */

	if ((word & 0xfffff0ff) == 0xd50340df && word & masks_interrupts)
		return INTERRUPTS_OFF;
	if ((word & 0xfffff0ff) == 0xd50340ff && word & masks_interrupts)
		return INTERRUPTS_ON;
	if ((word & 0xffffffe0) == 0xd53b4220)
		return INTERRUPTS_SAVED;
	if ((word & 0xffffffe0) == 0xd51b4220)
		return INTERRUPTS_RESTORED;
	return INTERRUPTS_UNTOUCHED;
}

int a64_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction)
{
	(void)set;
	if (size >= 4 && is_of_another_group(arm_word(bytes))) {
		instruction->length = 4;
		return 1;
	}
	if (size >= 4)
		instruction->interrupts = interrupts_of(arm_word(bytes));
	return arm_encoding_read_word(
		a64_encodings, sizeof(a64_encodings) / sizeof(*a64_encodings),
		address, bytes, size, instruction);
}

#define KIND(name) INSTRUCTION_##name

/* Returns the target of an A32 branch with 24 bits. The program counter that
 * A32 code reads is two instructions ahead.
 */
static uint64_t target_24(uint64_t address, uint32_t word)
{
	int64_t offset = arm_signed_field(word, 0, 24) * 4 + 8;

	return (uint32_t)(address + (uint64_t)offset);
}

/* Returns the target of A32's BLX, which has an extra halfword bit, and
 * switches to T32.
 */
static uint64_t target_blx(uint64_t address, uint32_t word)
{
	return (uint32_t)(target_24(address, word) + (word >> 23 & 2)) | 1;
}

static uint64_t a32_target_next(uint64_t address, uint32_t word)
{
	(void)word;
	return (uint32_t)(address + 4);
}

/* Arm Architecture Reference Manual, A-profile (DDI 0487), F5.1: every
 * instruction that writes the program counter. First the unconditional space.
 */
static const struct arm_encoding a32_encodings[] = {
	/* BLX, RFE, ISB, and the rest of the unconditional space */
	{ 0xfe000000, 0xfa000000, KIND(CALL), target_blx, 0, 0 },
	{ 0xfe500000, 0xf8100000, KIND(FAR_RETURN), NULL, 0, 0 },
	{ 0xfff000f0, 0xf5700060, KIND(JUMP), a32_target_next, 0, 0 },
	{ 0xf0000000, 0xf0000000, KIND(PLAIN), NULL, 0, 0 },
	/* B, BL */
	{ 0xff000000, 0xea000000, KIND(JUMP), target_24, 0, 0 },
	{ 0x0f000000, 0x0a000000, KIND(CONDITIONAL), target_24, 0, 0 },
	{ 0x0f000000, 0x0b000000, KIND(CALL), target_24, 0, 0 },
	/* SVC, HVC, SMC, ERET */
	{ 0x0f000000, 0x0f000000, KIND(FAR_CALL), NULL, 0, 0 },
	{ 0x0ff000f0, 0x01400070, KIND(FAR_CALL), NULL, 0, 0 },
	{ 0x0ff000f0, 0x01600070, KIND(FAR_CALL), NULL, 0, 0 },
	{ 0x0ff000f0, 0x01600060, KIND(FAR_RETURN), NULL, 0, 0 },
	/* BX lr, BX, BXJ, BLX */
	{ 0x0ff000ff, 0x0120001e, KIND(RETURN), NULL, 0, 0 },
	{ 0x0ff000f0, 0x01200010, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0x0ff000f0, 0x01200020, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0x0ff000f0, 0x01200030, KIND(INDIRECT_CALL), NULL, 0, 0 },
	/* WFE, WFI; the older cp15 form of ISB */
	{ 0x0ffffffe, 0x0320f002, KIND(PLAIN), NULL, 1, 0 },
	{ 0x0fff0fff, 0x0e070f95, KIND(JUMP), a32_target_next, 0, 0 },
	/* LDM of pc: return from an exception, from the stack, from the frame
	 * (APCS: ldmdb fp, {..., fp, sp, pc}), from elsewhere
	 */
	{ 0x0e508000, 0x08508000, KIND(FAR_RETURN), NULL, 0, 0 },
	{ 0x0e5f8000, 0x081d8000, KIND(RETURN), NULL, 0, 0 },
	{ 0x0e5f8000, 0x081b8000, KIND(RETURN), NULL, 0, 0 },
	{ 0x0e508000, 0x08108000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	/* LDR of pc: pop {pc}; with an immediate; with a register */
	{ 0x0fffffff, 0x049df004, KIND(RETURN), NULL, 0, 0 },
	{ 0x0e50f000, 0x0410f000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0x0e50f010, 0x0610f000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	/* multiplications, and loads of less than a word */
	{ 0x0e000090, 0x00000090, KIND(PLAIN), NULL, 0, 0 },
	/* TST, TEQ, CMP, CMN and MOVW, MSR, CLZ, ... in their encodings: they
	 * do not write pc
	 */
	{ 0x0d800000, 0x01000000, KIND(PLAIN), NULL, 0, 0 },
	/* MOV pc, lr; any other arithmetic, with and without S */
	{ 0x0fffffff, 0x01a0f00e, KIND(RETURN), NULL, 0, 0 },
	{ 0x0c10f000, 0x0010f000, KIND(FAR_RETURN), NULL, 0, 0 },
	{ 0x0c10f000, 0x0000f000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
};

int a32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction)
{
	(void)set;
	return arm_encoding_read_word(
		a32_encodings, sizeof(a32_encodings) / sizeof(*a32_encodings),
		address, bytes, size, instruction);
}

/* Targets within T32 code have bit 0 set; the program counter reads as 4 bytes
 * ahead.
 */
static uint64_t t32_target(uint64_t address, int64_t offset)
{
	return (uint32_t)(address + 4 + (uint64_t)offset) | 1;
}

static uint64_t target_8(uint64_t address, uint32_t word)
{
	return t32_target(address, arm_signed_field(word, 0, 8) * 2);
}

static uint64_t target_11(uint64_t address, uint32_t word)
{
	return t32_target(address, arm_signed_field(word, 0, 11) * 2);
}

/* Returns the target of CBZ, which only branches forward. */
static uint64_t target_6(uint64_t address, uint32_t word)
{
	return t32_target(address, (word >> 3 & 0x1f) << 1 | (word >> 9 & 1)
								     << 6);
}

/* Returns the offset of a wide branch: the 3 bits @top, imm6 or imm10, imm11;
 * @bits bits in all.
 */
static int64_t wide_offset(uint32_t word, uint32_t top, unsigned int bits)
{
	uint32_t low = word & 0x7ff;
	uint32_t high = word >> 16 & (bits == 20 ? 0x3f : 0x3ff);

	return arm_signed_field(top << (bits - 3) | high << 11 | low, 0, bits) *
	       2;
}

/* Returns the target of B<cond>: S:J2:J1:imm6:imm11:0. */
static uint64_t target_20(uint64_t address, uint32_t word)
{
	uint32_t sign = word >> 26 & 1;
	uint32_t j1 = word >> 13 & 1;
	uint32_t j2 = word >> 11 & 1;

	return t32_target(address,
			  wide_offset(word, sign << 2 | j2 << 1 | j1, 20));
}

/* Returns the target of B and BL: S:I1:I2:imm10:imm11:0, where I is set if J
 * equals S.
 */
static uint64_t t32_target_24(uint64_t address, uint32_t word)
{
	uint32_t sign = word >> 26 & 1;
	uint32_t i1 = ~(word >> 13 ^ sign) & 1;
	uint32_t i2 = ~(word >> 11 ^ sign) & 1;

	return t32_target(address,
			  wide_offset(word, sign << 2 | i1 << 1 | i2, 24));
}

/* Returns the target of T32's BLX, which switches to A32, whose instructions
 * are aligned.
 */
static uint64_t t32_target_blx(uint64_t address, uint32_t word)
{
	return t32_target_24(address & ~UINT64_C(3), word) & ~UINT64_C(3);
}

static uint64_t t32_target_next(uint64_t address, uint32_t word)
{
	(void)word;
	return t32_target(address, 0);
}

/* Arm Architecture Reference Manual, A-profile (DDI 0487), F3: every
 * instruction that writes the program counter.
 */
static const struct arm_encoding narrow_encodings[] = {
	/* UDF, SVC, B<cond>, B, CBZ and CBNZ */
	{ 0xff00, 0xde00, KIND(PLAIN), NULL, 0, 0 },
	{ 0xff00, 0xdf00, KIND(FAR_CALL), NULL, 0, 0 },
	{ 0xf000, 0xd000, KIND(CONDITIONAL), target_8, 0, 0 },
	{ 0xf800, 0xe000, KIND(JUMP), target_11, 0, 0 },
	{ 0xf500, 0xb100, KIND(CONDITIONAL), target_6, 0, 0 },
	/* BX lr, BX, BLX */
	{ 0xfff8, 0x4770, KIND(RETURN), NULL, 0, 0 },
	{ 0xff80, 0x4700, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0xff80, 0x4780, KIND(INDIRECT_CALL), NULL, 0, 0 },
	/* POP {pc}; MOV pc, lr; MOV pc and ADD pc */
	{ 0xff00, 0xbd00, KIND(RETURN), NULL, 0, 0 },
	{ 0xffff, 0x46f7, KIND(RETURN), NULL, 0, 0 },
	{ 0xfd87, 0x4487, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	/* WFE, WFI */
	{ 0xffef, 0xbf20, KIND(PLAIN), NULL, 1, 0 },
};

static const struct arm_encoding wide_encodings[] = {
	/* HVC, SMC, ERET and SUBS pc, lr; BXJ */
	{ 0xfff0f000, 0xf7e08000, KIND(FAR_CALL), NULL, 0, 0 },
	{ 0xfff0f000, 0xf7f08000, KIND(FAR_CALL), NULL, 0, 0 },
	{ 0xfff0d000, 0xf3d08000, KIND(FAR_RETURN), NULL, 0, 0 },
	{ 0xfff0d000, 0xf3c08000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	/* WFE, WFI; ISB */
	{ 0xfffffffe, 0xf3af8002, KIND(PLAIN), NULL, 1, 0 },
	{ 0xfff0f0f0, 0xf3b08060, KIND(JUMP), t32_target_next, 0, 0 },
	{ 0xffff0fff, 0xee070f95, KIND(JUMP), t32_target_next, 0, 0 },
	/* the rest of the unconditional space, B<cond>, B, BL, BLX; and the
	 * loops of M-profile in the same space
	 */
	{ 0xfb80d000, 0xf3808000, KIND(PLAIN), NULL, 0, 0 },
	{ 0xf800d000, 0xf0008000, KIND(CONDITIONAL), target_20, 0, 0 },
	{ 0xf800d000, 0xf0009000, KIND(JUMP), t32_target_24, 0, 0 },
	{ 0xf800d000, 0xf000d000, KIND(CALL), t32_target_24, 0, 0 },
	{ 0xf800d001, 0xf000c000, KIND(CALL), t32_target_blx, 0, 0 },
	{ 0xf800d001, 0xf000c001, KIND(PLAIN), NULL, 0, 1 },
	/* TBB, TBH, RFE */
	{ 0xfff0ffe0, 0xe8d0f000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0xffd00000, 0xe8100000, KIND(FAR_RETURN), NULL, 0, 0 },
	{ 0xffd00000, 0xe9900000, KIND(FAR_RETURN), NULL, 0, 0 },
	/* LDM of pc: from the stack, from elsewhere */
	{ 0xfe5f8000, 0xe81d8000, KIND(RETURN), NULL, 0, 0 },
	{ 0xfe508000, 0xe8108000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	/* LDR of pc: pop {pc}; literal; with an immediate; with a register */
	{ 0xffffffff, 0xf85dfb04, KIND(RETURN), NULL, 0, 0 },
	{ 0xff7ff000, 0xf85ff000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0xfff0f000, 0xf8d0f000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0xfff0f800, 0xf850f800, KIND(INDIRECT_JUMP), NULL, 0, 0 },
	{ 0xfff0ffc0, 0xf850f000, KIND(INDIRECT_JUMP), NULL, 0, 0 },
};

/* Decodes a T32 instruction of 4 bytes. The first halfword is the upper half of
 * the word.
 */
static int wide_read(uint64_t address, const uint8_t *bytes, size_t size,
		     struct instruction *instruction)
{
	uint32_t word;

	if (size < 4)
		return 0;
	word = arm_halfword(bytes) << 16 | arm_halfword(bytes + 2);
	instruction->length = 4;
	return arm_encoding_apply(wide_encodings,
				  sizeof(wide_encodings) /
					  sizeof(*wide_encodings),
				  address, word, instruction);
}

int t32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction)
{
	(void)set;
	if (size < 2)
		return 0;
	if (bytes[1] >= 0xe8)
		return wide_read(address, bytes, size, instruction);
	instruction->length = 2;
	return arm_encoding_apply(narrow_encodings,
				  sizeof(narrow_encodings) /
					  sizeof(*narrow_encodings),
				  address, arm_halfword(bytes), instruction);
}
