/* SPDX-License-Identifier: MIT */
#include "execution/instruction/t32_instruction.h"
#include "execution/instruction/arm_encoding.h"

#define KIND(name) INSTRUCTION_##name

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

/* CBZ only branches forward. */
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

/* B<cond>: S:J2:J1:imm6:imm11:0. */
static uint64_t target_20(uint64_t address, uint32_t word)
{
	uint32_t sign = word >> 26 & 1;
	uint32_t j1 = word >> 13 & 1;
	uint32_t j2 = word >> 11 & 1;

	return t32_target(address,
			  wide_offset(word, sign << 2 | j2 << 1 | j1, 20));
}

/* B, BL: S:I1:I2:imm10:imm11:0, where I is set if J equals S. */
static uint64_t target_24(uint64_t address, uint32_t word)
{
	uint32_t sign = word >> 26 & 1;
	uint32_t i1 = ~(word >> 13 ^ sign) & 1;
	uint32_t i2 = ~(word >> 11 ^ sign) & 1;

	return t32_target(address,
			  wide_offset(word, sign << 2 | i1 << 1 | i2, 24));
}

/* BLX switches to A32, whose instructions are aligned. */
static uint64_t target_blx(uint64_t address, uint32_t word)
{
	return target_24(address & ~UINT64_C(3), word) & ~UINT64_C(3);
}

static uint64_t target_next(uint64_t address, uint32_t word)
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
	{ 0xfff0f0f0, 0xf3b08060, KIND(JUMP), target_next, 0, 0 },
	{ 0xffff0fff, 0xee070f95, KIND(JUMP), target_next, 0, 0 },
	/* the rest of the unconditional space, B<cond>, B, BL, BLX; and the
	 * loops of M-profile in the same space
	 */
	{ 0xfb80d000, 0xf3808000, KIND(PLAIN), NULL, 0, 0 },
	{ 0xf800d000, 0xf0008000, KIND(CONDITIONAL), target_20, 0, 0 },
	{ 0xf800d000, 0xf0009000, KIND(JUMP), target_24, 0, 0 },
	{ 0xf800d000, 0xf000d000, KIND(CALL), target_24, 0, 0 },
	{ 0xf800d001, 0xf000c000, KIND(CALL), target_blx, 0, 0 },
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

/* The first halfword is the upper half of the word. */
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
