/* SPDX-License-Identifier: MIT */
#include "execution/instruction/a32_instruction.h"
#include "execution/instruction/arm_encoding.h"

#define KIND(name) INSTRUCTION_##name

/* The program counter that A32 code reads is two instructions ahead. */
static uint64_t target_24(uint64_t address, uint32_t word)
{
	int64_t offset = arm_signed_field(word, 0, 24) * 4 + 8;

	return (uint32_t)(address + (uint64_t)offset);
}

/* BLX has an extra halfword bit, and switches to T32. */
static uint64_t target_blx(uint64_t address, uint32_t word)
{
	return (uint32_t)(target_24(address, word) + (word >> 23 & 2)) | 1;
}

static uint64_t target_next(uint64_t address, uint32_t word)
{
	(void)word;
	return (uint32_t)(address + 4);
}

/* Arm Architecture Reference Manual, A-profile (DDI 0487), F5.1: every
 * instruction that writes the program counter. First the unconditional space.
 */
static const struct arm_encoding encodings[] = {
	/* BLX, RFE, ISB, and the rest of the unconditional space */
	{ 0xfe000000, 0xfa000000, KIND(CALL), target_blx, 0, 0 },
	{ 0xfe500000, 0xf8100000, KIND(FAR_RETURN), NULL, 0, 0 },
	{ 0xfff000f0, 0xf5700060, KIND(JUMP), target_next, 0, 0 },
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
	{ 0x0fff0fff, 0x0e070f95, KIND(JUMP), target_next, 0, 0 },
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
	return arm_encoding_read_word(encodings,
				      sizeof(encodings) / sizeof(*encodings),
				      address, bytes, size, instruction);
}
