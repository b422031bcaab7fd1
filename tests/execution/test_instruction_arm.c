/* SPDX-License-Identifier: MIT */
#include "tests/fixtures/instruction_row.h"
#include "tests/run_suite.h"

/* Words and halfwords as manuals write them. */
#define WORD(w) \
	.bytes = { (w)&0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24 }, \
	.size = 4
#define NARROW(w) .bytes = { (w)&0xff, (w) >> 8 }, .size = 2
#define WIDE(a, b) \
	.bytes = { (a)&0xff, (a) >> 8, (b)&0xff, (b) >> 8 }, .size = 4

#define A64 INSTRUCTION_A64

static const struct instruction_row a64_rows[] = {
	{ "nop", A64, WORD(0xd503201f), KIND(PLAIN) },
	{ "add", A64, WORD(0x91000421), KIND(PLAIN) },
	{ "b", A64, WORD(0x14000001), KIND(JUMP), AT + 4 },
	{ "b back", A64, WORD(0x17ffffff), KIND(JUMP), AT - 4 },
	{ "bl", A64, WORD(0x96000000), KIND(CALL), AT - 0x8000000 },
	{ "b.eq", A64, WORD(0x54000040), KIND(CONDITIONAL), AT + 8 },
	{ "bc.eq", A64, WORD(0x54000050), KIND(CONDITIONAL), AT + 8 },
	{ "cbz", A64, WORD(0xb4ffffe0), KIND(CONDITIONAL), AT - 4 },
	{ "cbnz", A64, WORD(0x35000021), KIND(CONDITIONAL), AT + 4 },
	{ "tbz", A64, WORD(0x3607ffe0), KIND(CONDITIONAL), AT - 4 },
	{ "tbnz", A64, WORD(0xb7f80043), KIND(CONDITIONAL), AT + 8 },
	{ "cbgt", A64, WORD(0x74020041), KIND(CONDITIONAL), AT + 8 },
	{ "cbbge", A64, WORD(0x7423a005), KIND(CONDITIONAL), AT - 1024 },
	{ "cbhne", A64, WORD(0x74e3c005), KIND(CONDITIONAL), AT },
	{ "cbeq imm", A64, WORD(0xf5ff8041), KIND(CONDITIONAL), AT + 8 },
	{ "br", A64, WORD(0xd61f0200), KIND(INDIRECT_JUMP) },
	{ "braaz", A64, WORD(0xd61f0a1f), KIND(INDIRECT_JUMP) },
	{ "brab", A64, WORD(0xd71f0e0f), KIND(INDIRECT_JUMP) },
	{ "blr", A64, WORD(0xd63f0060), KIND(INDIRECT_CALL) },
	{ "blrabz", A64, WORD(0xd63f0c7f), KIND(INDIRECT_CALL) },
	{ "blraa", A64, WORD(0xd73f0862), KIND(INDIRECT_CALL) },
	{ "ret", A64, WORD(0xd65f03c0), KIND(RETURN) },
	{ "ret x1", A64, WORD(0xd65f0020), KIND(RETURN) },
	{ "retaa", A64, WORD(0xd65f0bff), KIND(RETURN) },
	{ "retab", A64, WORD(0xd65f0fff), KIND(RETURN) },
	{ "retaasppc imm", A64, WORD(0x5500021f), KIND(RETURN) },
	{ "retabsppc imm", A64, WORD(0x5520021f), KIND(RETURN) },
	{ "retaasppcr", A64, WORD(0xd65f0be2), KIND(RETURN) },
	{ "eret", A64, WORD(0xd69f03e0), KIND(FAR_RETURN) },
	{ "eretaa", A64, WORD(0xd69f0bff), KIND(FAR_RETURN) },
	{ "drps", A64, WORD(0xd6bf03e0), KIND(FAR_RETURN) },
	{ "texit", A64, WORD(0xd6ff03e0), KIND(FAR_RETURN) },
	{ "texit nb", A64, WORD(0xd6ff07e0), KIND(FAR_RETURN) },
	{ "tenter", A64, WORD(0xd4e20fe0), KIND(FAR_CALL) },
	{ "svc", A64, WORD(0xd4000001), KIND(FAR_CALL) },
	{ "hvc", A64, WORD(0xd4000002), KIND(FAR_CALL) },
	{ "smc", A64, WORD(0xd4000003), KIND(FAR_CALL) },
	{ "brk", A64, WORD(0xd4210000), KIND(PLAIN) },
	{ "hlt", A64, WORD(0xd4400000), KIND(PLAIN) },
	{ "udf", A64, WORD(0x00001234), KIND(PLAIN) },
	{ "wfe", A64, WORD(0xd503205f), KIND(PLAIN), .is_long = true },
	{ "wfi", A64, WORD(0xd503207f), KIND(PLAIN), .is_long = true },
	{ "wfet", A64, WORD(0xd5031003), KIND(PLAIN), .is_long = true },
	{ "wfit", A64, WORD(0xd5031023), KIND(PLAIN), .is_long = true },
	{ "msr daifset, #3", A64, WORD(0xd50343df), KIND(PLAIN),
	  .interrupts = INTERRUPTS_OFF },
	{ "msr daifset, #4", A64, WORD(0xd50344df), KIND(PLAIN) },
	{ "msr daifclr, #15", A64, WORD(0xd5034fff), KIND(PLAIN),
	  .interrupts = INTERRUPTS_ON },
	{ "mrs x0, daif", A64, WORD(0xd53b4220), KIND(PLAIN),
	  .interrupts = INTERRUPTS_SAVED },
	{ "msr daif, x30", A64, WORD(0xd51b423e), KIND(PLAIN),
	  .interrupts = INTERRUPTS_RESTORED },
	{ "msr nzcv, x0", A64, WORD(0xd51b4200), KIND(PLAIN) },
	{ "yield", A64, WORD(0xd503203f), KIND(PLAIN) },
	{ "isb", A64, WORD(0xd5033fdf), KIND(JUMP), AT + 4 },
	{ "dsb", A64, WORD(0xd5033f9f), KIND(PLAIN) },
	{ "msr imm", A64, WORD(0xd50342df), KIND(PLAIN),
	  .interrupts = INTERRUPTS_OFF },
	{ "msr", A64, WORD(0xd518a000), KIND(PLAIN) },
	{ "mrs", A64, WORD(0xd538a000), KIND(PLAIN) },
	{ "sys", A64, WORD(0xd50b7420), KIND(PLAIN) },
	{ "autiasppc", A64, WORD(0xf380009f), KIND(PLAIN) },
	{ "fmopa", A64, WORD(0x80800000), KIND(PLAIN) },
	{ "d4 svc 0", A64, WORD(0xd4000000), .is_unknown = true },
	{ "tcancel", A64, WORD(0xd4600000), .is_unknown = true },
	{ "d5 unallocated", A64, WORD(0xd5005000), .is_unknown = true },
	{ "d6 unallocated", A64, WORD(0xd6df03c0), .is_unknown = true },
	{ "br with bits", A64, WORD(0xd61f0001), .is_unknown = true },
	{ "55 unallocated", A64, WORD(0x55000000), .is_unknown = true },
	{ "56 unallocated", A64, WORD(0x56000000), .is_unknown = true },
	{ "cb cc 4", A64, WORD(0x74820041), .is_unknown = true },
	{ "cb size 1", A64, WORD(0x74024041), .is_unknown = true },
	{ "reserved", A64, WORD(0x00010000), .is_unknown = true },
	{ "02 unallocated", A64, WORD(0x02000000), .is_unknown = true },
};

#define A32 INSTRUCTION_A32
#define T32 INSTRUCTION_T32

static const struct instruction_row arm_rows[] = {
	{ "b", A32, WORD(0xeafffffe), KIND(JUMP), AT_32 },
	{ "beq", A32, WORD(0x0a000000), KIND(CONDITIONAL), AT_32 + 8 },
	{ "bl", A32, WORD(0xeb000001), KIND(CALL), AT_32 + 12 },
	{ "blx imm", A32, WORD(0xfb000001), KIND(CALL), AT_32 + 15 },
	{ "blx", A32, WORD(0xe12fff33), KIND(INDIRECT_CALL) },
	{ "bx lr", A32, WORD(0xe12fff1e), KIND(RETURN) },
	{ "bxne lr", A32, WORD(0x112fff1e), KIND(RETURN) },
	{ "bx r3", A32, WORD(0xe12fff13), KIND(INDIRECT_JUMP) },
	{ "bxj", A32, WORD(0xe12fff23), KIND(INDIRECT_JUMP) },
	{ "pop pc", A32, WORD(0xe8bd8010), KIND(RETURN) },
	{ "pop only pc", A32, WORD(0xe49df004), KIND(RETURN) },
	{ "ldmdb fp", A32, WORD(0xe91ba800), KIND(RETURN) },
	{ "ldm r0", A32, WORD(0xe8908000), KIND(INDIRECT_JUMP) },
	{ "ldm ^", A32, WORD(0xe8fd8000), KIND(FAR_RETURN) },
	{ "ldm no pc", A32, WORD(0xe8bd4010), KIND(PLAIN) },
	{ "stm pc", A32, WORD(0xe92d8010), KIND(PLAIN) },
	{ "ldr pc", A32, WORD(0xe51ff004), KIND(INDIRECT_JUMP) },
	{ "ldr pc reg", A32, WORD(0xe79ff103), KIND(INDIRECT_JUMP) },
	{ "mov pc, lr", A32, WORD(0xe1a0f00e), KIND(RETURN) },
	{ "mov pc, r3", A32, WORD(0xe1a0f003), KIND(INDIRECT_JUMP) },
	{ "add pc, pc, r0", A32, WORD(0xe08ff100), KIND(INDIRECT_JUMP) },
	{ "movs pc, lr", A32, WORD(0xe1b0f00e), KIND(FAR_RETURN) },
	{ "subs pc, lr", A32, WORD(0xe25ef004), KIND(FAR_RETURN) },
	{ "cmp", A32, WORD(0xe350f000), KIND(PLAIN) },
	{ "mul", A32, WORD(0xe000f091), KIND(PLAIN) },
	{ "msr", A32, WORD(0xe321f0d3), KIND(PLAIN) },
	{ "rfe", A32, WORD(0xf8bd0a00), KIND(FAR_RETURN) },
	{ "eret", A32, WORD(0xe160006e), KIND(FAR_RETURN) },
	{ "svc", A32, WORD(0xef000000), KIND(FAR_CALL) },
	{ "hvc", A32, WORD(0xe1400070), KIND(FAR_CALL) },
	{ "smc", A32, WORD(0xe1600070), KIND(FAR_CALL) },
	{ "isb", A32, WORD(0xf57ff06f), KIND(JUMP), AT_32 + 4 },
	{ "isb cp15", A32, WORD(0xee070f95), KIND(JUMP), AT_32 + 4 },
	{ "wfi", A32, WORD(0xe320f003), KIND(PLAIN), .is_long = true },
	{ "b", T32, NARROW(0xe7fe), KIND(JUMP), AT_32 | 1 },
	{ "beq", T32, NARROW(0xd001), KIND(CONDITIONAL), AT_32 + 7 },
	{ "udf", T32, NARROW(0xde00), KIND(PLAIN) },
	{ "svc", T32, NARROW(0xdf00), KIND(FAR_CALL) },
	{ "cbz", T32, NARROW(0xb100), KIND(CONDITIONAL), AT_32 + 5 },
	{ "cbnz far", T32, NARROW(0xbbf8), KIND(CONDITIONAL), AT_32 + 131 },
	{ "bx lr", T32, NARROW(0x4770), KIND(RETURN) },
	{ "bx r3", T32, NARROW(0x4718), KIND(INDIRECT_JUMP) },
	{ "blx r3", T32, NARROW(0x4798), KIND(INDIRECT_CALL) },
	{ "pop", T32, NARROW(0xbd10), KIND(RETURN) },
	{ "pop no pc", T32, NARROW(0xbc10), KIND(PLAIN) },
	{ "mov pc, lr", T32, NARROW(0x46f7), KIND(RETURN) },
	{ "mov pc, r3", T32, NARROW(0x469f), KIND(INDIRECT_JUMP) },
	{ "add pc, r3", T32, NARROW(0x449f), KIND(INDIRECT_JUMP) },
	{ "mov r3, pc", T32, NARROW(0x467b), KIND(PLAIN) },
	{ "it", T32, NARROW(0xbf08), KIND(PLAIN) },
	{ "wfi", T32, NARROW(0xbf30), KIND(PLAIN), .is_long = true },
	{ "wfe", T32, NARROW(0xbf20), KIND(PLAIN), .is_long = true },
	{ "beq.w", T32, WIDE(0xf000, 0x8001), KIND(CONDITIONAL), AT_32 + 7 },
	{ "bne.w back", T32, WIDE(0xf47f, 0xaffe), KIND(CONDITIONAL),
	  AT_32 | 1 },
	{ "b.w", T32, WIDE(0xf000, 0xb801), KIND(JUMP), AT_32 + 7 },
	{ "b.w back", T32, WIDE(0xf7ff, 0xbffe), KIND(JUMP), AT_32 | 1 },
	{ "bl", T32, WIDE(0xf000, 0xf801), KIND(CALL), AT_32 + 7 },
	{ "bl far", T32, WIDE(0xf000, 0xd000), KIND(CALL), AT_32 + 0xc00005 },
	{ "blx imm", T32, WIDE(0xf000, 0xe802), KIND(CALL), AT_32 + 8 },
	{ "blx imm odd", T32, WIDE(0xf000, 0xe801), .is_unknown = true },
	{ "le", T32, WIDE(0xf00f, 0xc001), .is_unknown = true },
	{ "tbb", T32, WIDE(0xe8df, 0xf003), KIND(INDIRECT_JUMP) },
	{ "tbh", T32, WIDE(0xe8df, 0xf013), KIND(INDIRECT_JUMP) },
	{ "pop.w", T32, WIDE(0xe8bd, 0x87f0), KIND(RETURN) },
	{ "pop.w pc", T32, WIDE(0xf85d, 0xfb04), KIND(RETURN) },
	{ "ldm r0", T32, WIDE(0xe890, 0x8002), KIND(INDIRECT_JUMP) },
	{ "ldr.w pc", T32, WIDE(0xf85f, 0xf000), KIND(INDIRECT_JUMP) },
	{ "ldr.w pc imm", T32, WIDE(0xf8d3, 0xf004), KIND(INDIRECT_JUMP) },
	{ "ldr.w pc reg", T32, WIDE(0xf853, 0xf021), KIND(INDIRECT_JUMP) },
	{ "rfe", T32, WIDE(0xe9bd, 0xc000), KIND(FAR_RETURN) },
	{ "eret", T32, WIDE(0xf3de, 0x8f00), KIND(FAR_RETURN) },
	{ "smc", T32, WIDE(0xf7f0, 0x8000), KIND(FAR_CALL) },
	{ "hvc", T32, WIDE(0xf7e0, 0x8000), KIND(FAR_CALL) },
	{ "bxj", T32, WIDE(0xf3c3, 0x8f00), KIND(INDIRECT_JUMP) },
	{ "isb", T32, WIDE(0xf3bf, 0x8f6f), KIND(JUMP), AT_32 + 5 },
	{ "dsb", T32, WIDE(0xf3bf, 0x8f4f), KIND(PLAIN) },
	{ "wfi.w", T32, WIDE(0xf3af, 0x8003), KIND(PLAIN), .is_long = true },
	{ "movw", T32, WIDE(0xf240, 0x1023), KIND(PLAIN) },
};

START_TEST(a64_instructions_are_read)
{
	check_instruction_row(&a64_rows[_i]);
}
END_TEST

START_TEST(arm_instructions_are_read)
{
	check_instruction_row(&arm_rows[_i]);
}
END_TEST

SUITE("instruction_arm")
{
	TEST_EACH(a64_instructions_are_read, a64_rows);
	TEST_EACH(arm_instructions_are_read, arm_rows);
}
