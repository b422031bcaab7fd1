/* SPDX-License-Identifier: MIT */
#include "execution/instruction/instruction_read.h"
#include "tests/assert_each.h"
#include "tests/fixtures/instruction_row.h"
#include "tests/fixtures/random.h"
#include "tests/run_suite.h"

#define X64 INSTRUCTION_X86_64
#define X32 INSTRUCTION_X86_32
#define X16 INSTRUCTION_X86_16

static const struct instruction_row x86_rows[] = {
	{ "nop", X64, BYTES(0x90), KIND(PLAIN) },
	{ "mov", X64, BYTES(0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8), KIND(PLAIN) },
	{ "ud2", X64, BYTES(0x0f, 0x0b), KIND(PLAIN) },
	{ "je", X64, BYTES(0x74, 0x10), KIND(CONDITIONAL), AT + 0x12 },
	{ "je back", X64, BYTES(0x74, 0xfe), KIND(CONDITIONAL), AT },
	{ "je near", X64, BYTES(0x0f, 0x84, 0xfa, 0xff, 0xff, 0xff),
	  KIND(CONDITIONAL), AT },
	{ "66 je near", X64, BYTES(0x66, 0x0f, 0x84, 1, 0, 0, 0),
	  KIND(CONDITIONAL), AT + 8 },
	{ "jrcxz", X64, BYTES(0xe3, 2), KIND(CONDITIONAL), AT + 4 },
	{ "jecxz", X64, BYTES(0x67, 0xe3, 2), KIND(CONDITIONAL), AT + 5 },
	{ "loop", X64, BYTES(0xe2, 0x80), KIND(CONDITIONAL), AT - 126 },
	{ "loope", X64, BYTES(0xe1, 0), KIND(CONDITIONAL), AT + 2 },
	{ "loopne", X64, BYTES(0xe0, 0), KIND(CONDITIONAL), AT + 2 },
	{ "jmp", X64, BYTES(0xeb, 0xfe), KIND(JUMP), AT },
	{ "jmp near", X64, BYTES(0xe9, 0, 0, 0, 0x80), KIND(JUMP),
	  AT + 5 - 0x80000000 },
	{ "bnd jmp", X64, BYTES(0xf2, 0xe9, 0, 0, 0, 0), KIND(JUMP), AT + 6 },
	{ "66 jmp", X64, BYTES(0x66, 0xe9, 0, 0, 1, 0), KIND(JUMP),
	  AT + 6 + 0x10000 },
	{ "notrack jmp *rax", X64, BYTES(0x3e, 0xff, 0xe0),
	  KIND(INDIRECT_JUMP) },
	{ "jmp *(rip)", X64, BYTES(0xff, 0x25, 0, 0, 0, 0),
	  KIND(INDIRECT_JUMP) },
	{ "call", X64, BYTES(0xe8, 0xfb, 0xff, 0xff, 0xff), KIND(CALL), AT },
	{ "cs call", X64, BYTES(0x2e, 0xe8, 0, 0, 0, 0), KIND(CALL), AT + 6 },
	{ "call *r11", X64, BYTES(0x41, 0xff, 0xd3), KIND(INDIRECT_CALL) },
	{ "call *gs:", X64, BYTES(0x65, 0xff, 0x90, 1, 2, 3, 4),
	  KIND(INDIRECT_CALL) },
	{ "lcall", X64, BYTES(0x48, 0xff, 0x18), KIND(FAR_CALL) },
	{ "ljmp", X64, BYTES(0x48, 0xff, 0x28), KIND(FAR_JUMP) },
	{ "ret", X64, BYTES(0xc3), KIND(RETURN) },
	{ "rep ret", X64, BYTES(0xf3, 0xc3), KIND(RETURN) },
	{ "ret 8", X64, BYTES(0xc2, 8, 0), KIND(RETURN) },
	{ "lret", X64, BYTES(0x48, 0xcb), KIND(FAR_RETURN) },
	{ "lret 8", X64, BYTES(0xca, 8, 0), KIND(FAR_RETURN) },
	{ "int3", X64, BYTES(0xcc), KIND(FAR_CALL) },
	{ "int1", X64, BYTES(0xf1), KIND(FAR_CALL) },
	{ "int 80", X64, BYTES(0xcd, 0x80), KIND(FAR_CALL) },
	{ "syscall", X64, BYTES(0x0f, 0x05), KIND(FAR_CALL) },
	{ "sysenter", X64, BYTES(0x0f, 0x34), KIND(FAR_CALL) },
	{ "vmcall", X64, BYTES(0x0f, 0x01, 0xc1), KIND(FAR_CALL) },
	{ "tdcall", X64, BYTES(0x66, 0x0f, 0x01, 0xcc), KIND(FAR_CALL) },
	{ "seamcall", X64, BYTES(0x66, 0x0f, 0x01, 0xcf), KIND(FAR_CALL) },
	{ "iretq", X64, BYTES(0x48, 0xcf), KIND(FAR_RETURN) },
	{ "sysretq", X64, BYTES(0x48, 0x0f, 0x07), KIND(FAR_RETURN) },
	{ "sysexit", X64, BYTES(0x0f, 0x35), KIND(FAR_RETURN) },
	{ "vmlaunch", X64, BYTES(0x0f, 0x01, 0xc2), KIND(FAR_RETURN) },
	{ "vmrun", X64, BYTES(0x0f, 0x01, 0xd8), KIND(FAR_RETURN) },
	{ "vmresume", X64, BYTES(0x0f, 0x01, 0xc3), KIND(FAR_RETURN) },
	{ "uiret", X64, BYTES(0xf3, 0x0f, 0x01, 0xec), KIND(FAR_RETURN) },
	{ "seamret", X64, BYTES(0x66, 0x0f, 0x01, 0xcd), KIND(FAR_RETURN) },
	{ "rsm", X64, BYTES(0x0f, 0xaa), KIND(FAR_RETURN) },
	/* FRED instructions: older decoders read them as clac with an ignored
	 * prefix
	 */
	{ "eretu", X64, BYTES(0xf3, 0x0f, 0x01, 0xca), KIND(FAR_RETURN) },
	{ "erets", X64, BYTES(0xf2, 0x0f, 0x01, 0xca), KIND(FAR_RETURN) },
	{ "clac", X64, BYTES(0x0f, 0x01, 0xca), KIND(PLAIN) },
	{ "lkgs", X64, BYTES(0xf2, 0x0f, 0x00, 0xf0), KIND(PLAIN) },
	{ "lkgs (rax)", X64, BYTES(0xf2, 0x0f, 0x00, 0x70, 1), KIND(PLAIN) },
	{ "senduipi", X64, BYTES(0xf3, 0x0f, 0xc7, 0xf0), KIND(PLAIN) },
	{ "xbegin", X64, BYTES(0xc7, 0xf8, 1, 0, 0, 0), KIND(PLAIN) },
	{ "pbndkb", X64, BYTES(0x0f, 0x01, 0xc7), KIND(PLAIN) },
	{ "rdmsrlist", X64, BYTES(0xf2, 0x0f, 0x01, 0xc6), KIND(PLAIN) },
	{ "urdmsr", X64, BYTES(0xf2, 0x0f, 0x38, 0xf8, 0xc0), KIND(PLAIN) },
	{ "enqcmd", X64, BYTES(0xf2, 0x0f, 0x38, 0xf8, 0x00), KIND(PLAIN) },
	{ "aadd", X64, BYTES(0x0f, 0x38, 0xfc, 0x00), KIND(PLAIN) },
	{ "movrs", X64, BYTES(0x0f, 0x38, 0x8a, 0x44, 0x88, 1), KIND(PLAIN) },
	{ "rdmsr imm", X64, BYTES(0xc4, 0xe7, 0x7b, 0xf6, 0xc0, 1, 0, 0, 0),
	  KIND(PLAIN) },
	{ "wrmsrns imm", X64, BYTES(0xc4, 0xe7, 0x7a, 0xf6, 0xc0, 1, 0, 0, 0),
	  KIND(PLAIN) },
	{ "tdpfp16ps", X64, BYTES(0xc4, 0xe2, 0x6b, 0x5c, 0xcb), KIND(PLAIN) },
	{ "sha512msg1", X64, BYTES(0xc4, 0xe2, 0x7f, 0xcc, 0xc1), KIND(PLAIN) },
	{ "sha512msg1 in 32 bits", X32, BYTES(0xc4, 0xe2, 0x7f, 0xcc, 0xc1),
	  KIND(PLAIN) },
	{ "cmpbexadd", X64, BYTES(0xc4, 0xe2, 0x71, 0xe6, 0x40, 1),
	  KIND(PLAIN) },
	{ "vminmaxps", X64, BYTES(0x62, 0xf3, 0x7d, 0x48, 0x52, 0xc0, 1),
	  KIND(PLAIN) },
	/* APX */
	{ "jmpabs", X64, BYTES(0xd5, 0, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8),
	  KIND(INDIRECT_JUMP) },
	{ "rex2 add", X64, BYTES(0xd5, 0x10, 0x01, 0xc0), KIND(PLAIN) },
	{ "rex2 mov imm64", X64,
	  BYTES(0xd5, 0x18, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8), KIND(PLAIN) },
	{ "rex2 call *r16", X64, BYTES(0xd5, 0x10, 0xff, 0xd0),
	  KIND(INDIRECT_CALL) },
	{ "rex2 jmp *(r16)", X64, BYTES(0xd5, 0x10, 0xff, 0x60, 8),
	  KIND(INDIRECT_JUMP) },
	{ "rex2 ret", X64, BYTES(0xd5, 0, 0xc3), KIND(RETURN) },
	{ "rex2 imul", X64, BYTES(0xd5, 0x90, 0xaf, 0xc0), KIND(PLAIN) },
	{ "add r16, r17, r18", X64, BYTES(0x62, 0xec, 0x7c, 0x10, 0x01, 0xc0),
	  KIND(PLAIN) },
	{ "add imm16", X64, BYTES(0x62, 0xf4, 0x7d, 0x18, 0x81, 0xc0, 1, 2),
	  KIND(PLAIN) },
	{ "add imm32", X64,
	  BYTES(0x62, 0xf4, 0x7c, 0x18, 0x81, 0xc0, 1, 2, 3, 4), KIND(PLAIN) },
	{ "ctest imm8", X64, BYTES(0x62, 0xf4, 0x04, 0x05, 0xf6, 0xc0, 1),
	  KIND(PLAIN) },
	{ "not", X64, BYTES(0x62, 0xf4, 0x7c, 0x18, 0xf6, 0xd0), KIND(PLAIN) },
	{ "push2", X64, BYTES(0x62, 0xf4, 0x7c, 0x18, 0xff, 0xf0),
	  KIND(PLAIN) },
	/* long instructions, and those with more trace packets */
	{ "rep movsb", X64, BYTES(0xf3, 0xa4), KIND(PLAIN), .is_long = true },
	{ "rep stosq", X64, BYTES(0xf3, 0x48, 0xab), KIND(PLAIN),
	  .is_long = true },
	{ "repne scasb", X64, BYTES(0xf2, 0xae), KIND(PLAIN), .is_long = true },
	{ "movsb", X64, BYTES(0xa4), KIND(PLAIN) },
	{ "hlt", X64, BYTES(0xf4), KIND(PLAIN), .is_long = true },
	{ "mwait", X64, BYTES(0x0f, 0x01, 0xc9), KIND(PLAIN), .is_long = true },
	{ "umwait", X64, BYTES(0xf2, 0x0f, 0xae, 0xf0), KIND(PLAIN),
	  .is_long = true },
	{ "tpause", X64, BYTES(0x66, 0x0f, 0xae, 0xf0), KIND(PLAIN),
	  .is_long = true },
	{ "wrmsr", X64, BYTES(0x0f, 0x30), KIND(PLAIN) },
	{ "wrmsrns", X64, BYTES(0x0f, 0x01, 0xc6), KIND(PLAIN) },
	{ "wrmsrlist", X64, BYTES(0xf3, 0x0f, 0x01, 0xc6), KIND(PLAIN) },
	{ "xrstors", X64, BYTES(0x0f, 0xc7, 0x18), KIND(PLAIN) },
	{ "rdmsr", X64, BYTES(0x0f, 0x32), KIND(PLAIN) },
	{ "cli", X64, BYTES(0xfa), KIND(PLAIN), .interrupts = INTERRUPTS_OFF },
	{ "sti", X64, BYTES(0xfb), KIND(PLAIN), .interrupts = INTERRUPTS_ON },
	{ "pushf", X64, BYTES(0x9c), KIND(PLAIN),
	  .interrupts = INTERRUPTS_SAVED },
	{ "popf", X64, BYTES(0x9d), KIND(PLAIN),
	  .interrupts = INTERRUPTS_RESTORED },
	/* incl gs:0x351c8(%rip), decl, and so on; at AT */
	{ "inc gs:rip", X64, BYTES(0x65, 0xff, 0x05, 0x10, 0, 0, 0),
	  KIND(PLAIN), .interrupts = PREEMPT_CHANGED, .counter = AT + 0x17 },
	{ "dec gs:rip", X64, BYTES(0x65, 0xff, 0x0d, 0x10, 0, 0, 0),
	  KIND(PLAIN), .interrupts = PREEMPT_CHANGED + 6,
	  .counter = AT + 0x17 },
	{ "dec gs:address", X64,
	  BYTES(0x65, 0xff, 0x0c, 0x25, 0xc8, 0x51, 0x03, 0), KIND(PLAIN),
	  .interrupts = PREEMPT_CHANGED + 6, .counter = 0x351c8 },
	{ "add gs:rip, 0x200", X64,
	  BYTES(0x65, 0x81, 0x05, 0x10, 0, 0, 0, 0, 0x02, 0, 0), KIND(PLAIN),
	  .interrupts = PREEMPT_CHANGED + 2, .counter = AT + 0x1b },
	{ "sub gs:rip, 0x10000", X64,
	  BYTES(0x65, 0x81, 0x2d, 0x10, 0, 0, 0, 0, 0, 0x01, 0), KIND(PLAIN),
	  .interrupts = PREEMPT_CHANGED + 10, .counter = AT + 0x1b },
	{ "add gs:rip, eax", X64, BYTES(0x65, 0x01, 0x05, 0x10, 0, 0, 0),
	  KIND(PLAIN), .interrupts = PREEMPT_CHANGED + 12,
	  .counter = AT + 0x17 },
	{ "inc gs:rax", X64, BYTES(0x65, 0xff, 0x00), KIND(PLAIN) },
	{ "inc rip", X64, BYTES(0xff, 0x05, 0x10, 0, 0, 0), KIND(PLAIN) },
	{ "mov cr3, rax", X64, BYTES(0x0f, 0x22, 0xd8), KIND(PLAIN),
	  .writes_page_table = true },
	{ "mov cr3, r8", X64, BYTES(0x41, 0x0f, 0x22, 0xd8), KIND(PLAIN),
	  .writes_page_table = true },
	{ "mov cr4, rax", X64, BYTES(0x0f, 0x22, 0xe0), KIND(PLAIN) },
	{ "mov rax, cr3", X64, BYTES(0x0f, 0x20, 0xd8), KIND(PLAIN) },
	{ "ptwrite", X64, BYTES(0xf3, 0x48, 0x0f, 0xae, 0xe0), KIND(PLAIN) },
	/* 32 and 16 bits */
	{ "call32", X32, BYTES(0xe8, 0, 0, 0, 0x80), KIND(CALL),
	  UINT64_C(0xffffffff01000005) },
	{ "call32 of 16", X32, BYTES(0x66, 0xe8, 0x10, 0x20), KIND(CALL),
	  0x2014 },
	{ "inc", X32, BYTES(0x40), KIND(PLAIN) },
	{ "lcall imm", X32, BYTES(0x9a, 1, 2, 3, 4, 5, 6), KIND(FAR_CALL) },
	{ "ljmp imm", X32, BYTES(0xea, 1, 2, 3, 4, 5, 6), KIND(FAR_JUMP) },
	{ "into", X32, BYTES(0xce), KIND(FAR_CALL) },
	{ "iret", X32, BYTES(0xcf), KIND(FAR_RETURN) },
	{ "bound", X32, BYTES(0x62, 0x00), KIND(PLAIN) },
	{ "aad", X32, BYTES(0xd5, 0x0a), KIND(PLAIN) },
	{ "ljmp32", X32, BYTES(0xff, 0x28), KIND(FAR_JUMP) },
	{ "call16", X16, BYTES(0xe8, 0x10, 0x20), KIND(CALL), AT + 0x2013 },
	{ "jmp16 of 32", X16, BYTES(0x66, 0xe9, 0, 0, 1, 0), KIND(JUMP),
	  AT + 0x10006 },
	{ "mov16", X16, BYTES(0xb8, 1, 2), KIND(PLAIN) },
	/* unknown */
	{ "push es", X64, BYTES(0x06), .is_unknown = true },
	{ "lcall in 64 bits", X64, BYTES(0x9a), .is_unknown = true },
	{ "lock ret", X64, BYTES(0xf0, 0xc3), .is_unknown = true },
	{ "0f 04", X64, BYTES(0x0f, 0x04), .is_unknown = true },
	{ "f2 vmcall", X64, BYTES(0xf2, 0x0f, 0x01, 0xc1), .is_unknown = true },
	{ "66 clac", X64, BYTES(0x66, 0x0f, 0x01, 0xca), .is_unknown = true },
	{ "eretu in 32 bits", X32, BYTES(0xf3, 0x0f, 0x01, 0xca),
	  .is_unknown = true },
	{ "mov cr11", X64, BYTES(0x44, 0x0f, 0x22, 0xd8), .is_unknown = true },
	{ "rex2 jcc", X64, BYTES(0xd5, 0, 0x74, 0), .is_unknown = true },
	{ "rex2 call", X64, BYTES(0xd5, 0, 0xe8, 0, 0, 0, 0),
	  .is_unknown = true },
	{ "rex2 0f", X64, BYTES(0xd5, 0, 0x0f, 0x05), .is_unknown = true },
	{ "rex2 rex2", X64, BYTES(0xd5, 0, 0xd5, 0x10, 0x01, 0xc0),
	  .is_unknown = true },
	{ "rex2.w jmpabs", X64, BYTES(0xd5, 8, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8),
	  .is_unknown = true },
	{ "66 jmpabs", X64, BYTES(0x66, 0xd5, 0, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8),
	  .is_unknown = true },
	{ "aadd of registers", X64, BYTES(0x0f, 0x38, 0xfc, 0xc0),
	  .is_unknown = true },
	{ "jkzd", X64, BYTES(0xc5, 0xd0, 0x74, 1), .is_unknown = true },
	{ "jknzd near", X64, BYTES(0xc5, 0xd0, 0x85, 1, 0, 0, 0),
	  .is_unknown = true },
	{ "16 bytes", X64,
	  BYTES(0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		0x66, 0x66, 0x66, 0x66, 0x66, 0x90),
	  .is_unknown = true },
};

START_TEST(x86_instructions_are_read)
{
	check_instruction_row(&x86_rows[_i]);
}
END_TEST

/* For any bytes: a decoded instruction lies within them; its own bytes alone
 * decode the same, and fewer bytes do not decode.
 */
static void check_random(enum instruction_set set, const uint8_t *bytes,
			 size_t size)
{
	struct instruction read, again;
	int status = instruction_read(set, AT, bytes, size, &read);

	if (status <= 0)
		return;
	assert_each(status == 1);
	assert_each(read.length >= 1 && read.length <= 15);
	assert_each(read.length <= size);
	assert_each(read.kind <= INSTRUCTION_FAR_JUMP);
	assert_each(instruction_read(set, AT, bytes, read.length, &again) == 1);
	assert_each(!memcmp(&again, &read, sizeof(read)));
	assert_each(
		!instruction_read(set, AT, bytes, read.length - 1u, &again));
}

START_TEST(random_bytes_are_read_within_their_bounds)
{
	int times = suite_repeats(100000);
	uint32_t state = 1;
	uint8_t bytes[20];

	for (int i = 0; i < times; i++) {
		for (size_t at = 0; at < sizeof(bytes); at++)
			bytes[at] = (uint8_t)(next_random(&state) >> 16);
		check_random((enum instruction_set)_i, bytes,
			     next_random(&state) % sizeof(bytes));
	}
}
END_TEST

SUITE("instruction")
{
	TEST_EACH(x86_instructions_are_read, x86_rows);
	TEST_TIMES(random_bytes_are_read_within_their_bounds, INSTRUCTION_SETS);
}
