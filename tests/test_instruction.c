/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "execution/instruction.h"
#include "tests/random_fixture.h"
#include "tests/run_suite.h"

#include <string.h>

/* Addresses that their code is at. */
#define AT UINT64_C(0xffffffff81000000)
#define AT_32 UINT64_C(0x8000)

#define X64 INSTRUCTION_X86_64
#define X32 INSTRUCTION_X86_32
#define X16 INSTRUCTION_X86_16
#define KIND(name) .kind = INSTRUCTION_##name
/* Bytes in memory; words as manuals write them. */
#define BYTES(...) .bytes = { __VA_ARGS__ }, \
	.size = sizeof((uint8_t[]){ __VA_ARGS__ })
#define WORD(w) .bytes = { (w) & 0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, \
			   (w) >> 24 }, .size = 4
#define NARROW(w) .bytes = { (w) & 0xff, (w) >> 8 }, .size = 2
#define WIDE(a, b) .bytes = { (a) & 0xff, (a) >> 8, (b) & 0xff, (b) >> 8 }, \
	.size = 4

struct row {
	const char *name;
	enum instruction_set set;
	uint8_t bytes[16];
	uint8_t size;
	uint8_t kind;
	uint64_t target;
	bool is_unknown;
	bool is_long;
	bool switches_trace;
	bool writes_page_table;
	bool writes_trace;
};

static const struct row x86_rows[] = {
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
	{ "vmresume", X64, BYTES(0x0f, 0x01, 0xc3), KIND(FAR_RETURN) },
	{ "uiret", X64, BYTES(0xf3, 0x0f, 0x01, 0xec), KIND(FAR_RETURN) },
	{ "seamret", X64, BYTES(0x66, 0x0f, 0x01, 0xcd), KIND(FAR_RETURN) },
	{ "rsm", X64, BYTES(0x0f, 0xaa), KIND(FAR_RETURN) },
	/* FRED: an old reader takes them for clac with an idle prefix */
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
	{ "rdmsr imm", X64,
	  BYTES(0xc4, 0xe7, 0x7b, 0xf6, 0xc0, 1, 0, 0, 0), KIND(PLAIN) },
	{ "wrmsrns imm", X64,
	  BYTES(0xc4, 0xe7, 0x7a, 0xf6, 0xc0, 1, 0, 0, 0), KIND(PLAIN),
	  .switches_trace = true },
	{ "tdpfp16ps", X64, BYTES(0xc4, 0xe2, 0x6b, 0x5c, 0xcb), KIND(PLAIN) },
	{ "sha512msg1", X64, BYTES(0xc4, 0xe2, 0x7f, 0xcc, 0xc1),
	  KIND(PLAIN) },
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
	{ "add imm16", X64,
	  BYTES(0x62, 0xf4, 0x7d, 0x18, 0x81, 0xc0, 1, 2), KIND(PLAIN) },
	{ "add imm32", X64,
	  BYTES(0x62, 0xf4, 0x7c, 0x18, 0x81, 0xc0, 1, 2, 3, 4),
	  KIND(PLAIN) },
	{ "ctest imm8", X64, BYTES(0x62, 0xf4, 0x04, 0x05, 0xf6, 0xc0, 1),
	  KIND(PLAIN) },
	{ "not", X64, BYTES(0x62, 0xf4, 0x7c, 0x18, 0xf6, 0xd0), KIND(PLAIN) },
	{ "push2", X64, BYTES(0x62, 0xf4, 0x7c, 0x18, 0xff, 0xf0),
	  KIND(PLAIN) },
	/* what takes long, and what the trace says more of */
	{ "rep movsb", X64, BYTES(0xf3, 0xa4), KIND(PLAIN), .is_long = true },
	{ "rep stosq", X64, BYTES(0xf3, 0x48, 0xab), KIND(PLAIN),
	  .is_long = true },
	{ "repne scasb", X64, BYTES(0xf2, 0xae), KIND(PLAIN),
	  .is_long = true },
	{ "movsb", X64, BYTES(0xa4), KIND(PLAIN) },
	{ "hlt", X64, BYTES(0xf4), KIND(PLAIN), .is_long = true },
	{ "mwait", X64, BYTES(0x0f, 0x01, 0xc9), KIND(PLAIN),
	  .is_long = true },
	{ "umwait", X64, BYTES(0xf2, 0x0f, 0xae, 0xf0), KIND(PLAIN),
	  .is_long = true },
	{ "tpause", X64, BYTES(0x66, 0x0f, 0xae, 0xf0), KIND(PLAIN),
	  .is_long = true },
	{ "wrmsr", X64, BYTES(0x0f, 0x30), KIND(PLAIN),
	  .switches_trace = true },
	{ "wrmsrns", X64, BYTES(0x0f, 0x01, 0xc6), KIND(PLAIN),
	  .switches_trace = true },
	{ "wrmsrlist", X64, BYTES(0xf3, 0x0f, 0x01, 0xc6), KIND(PLAIN),
	  .switches_trace = true },
	{ "xrstors", X64, BYTES(0x0f, 0xc7, 0x18), KIND(PLAIN),
	  .switches_trace = true },
	{ "rdmsr", X64, BYTES(0x0f, 0x32), KIND(PLAIN) },
	{ "mov cr3, rax", X64, BYTES(0x0f, 0x22, 0xd8), KIND(PLAIN),
	  .writes_page_table = true },
	{ "mov cr3, r8", X64, BYTES(0x41, 0x0f, 0x22, 0xd8), KIND(PLAIN),
	  .writes_page_table = true },
	{ "mov cr4, rax", X64, BYTES(0x0f, 0x22, 0xe0), KIND(PLAIN) },
	{ "mov rax, cr3", X64, BYTES(0x0f, 0x20, 0xd8), KIND(PLAIN) },
	{ "ptwrite", X64, BYTES(0xf3, 0x48, 0x0f, 0xae, 0xe0), KIND(PLAIN),
	  .writes_trace = true },
	/* 32 and 16 bits */
	{ "call32", X32, BYTES(0xe8, 0, 0, 0, 0x80), KIND(CALL), UINT64_C(0xffffffff01000005) },
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
	{ "f2 vmcall", X64, BYTES(0xf2, 0x0f, 0x01, 0xc1),
	  .is_unknown = true },
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
		0x66, 0x66, 0x66, 0x66, 0x66, 0x90), .is_unknown = true },
};

#define A64 INSTRUCTION_A64

static const struct row a64_rows[] = {
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
	{ "yield", A64, WORD(0xd503203f), KIND(PLAIN) },
	{ "isb", A64, WORD(0xd5033fdf), KIND(JUMP), AT + 4 },
	{ "dsb", A64, WORD(0xd5033f9f), KIND(PLAIN) },
	{ "msr imm", A64, WORD(0xd50342df), KIND(PLAIN) },
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

static const struct row arm_rows[] = {
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

static uint64_t address_of(enum instruction_set set)
{
	return set >= INSTRUCTION_A32 ? AT_32 : AT;
}

static void check_known(const struct row *row, const struct instruction *read)
{
	ck_assert_msg(read->length == row->size, "%s: length %d", row->name,
		      read->length);
	ck_assert_msg(read->kind == row->kind, "%s: kind %d", row->name,
		      read->kind);
	ck_assert_msg(read->target == row->target, "%s: to %#llx", row->name,
		      (unsigned long long)read->target);
	ck_assert_msg(read->may_take_long == row->is_long, "%s", row->name);
	ck_assert_msg(read->switches_trace == row->switches_trace, "%s",
		      row->name);
	ck_assert_msg(read->writes_page_table == row->writes_page_table, "%s",
		      row->name);
	ck_assert_msg(read->writes_trace == row->writes_trace, "%s", row->name);
}

/* With whatever follows, and with less than all of it. */
static void check_row(const struct row *row)
{
	uint8_t bytes[32];
	struct instruction read;
	int status;

	memset(bytes, 0xff, sizeof(bytes));
	memcpy(bytes, row->bytes, row->size);
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		status = instruction_read(row->set, address_of(row->set), bytes,
					  size, &read);
		if (row->is_unknown && size >= row->size) {
			ck_assert_msg(status == -ERROR_UNSUPPORTED,
				      "%s: %d of %zu", row->name, status, size);
		} else if (size < row->size) {
			ck_assert_msg(status == 0 ||
				      (row->is_unknown && status < 0),
				      "%s: %d of %zu", row->name, status, size);
		} else {
			ck_assert_msg(status == 1, "%s: %d of %zu", row->name,
				      status, size);
			check_known(row, &read);
		}
	}
}

START_TEST(x86_instructions_are_read)
{
	check_row(&x86_rows[_i]);
}
END_TEST

START_TEST(a64_instructions_are_read)
{
	check_row(&a64_rows[_i]);
}
END_TEST

START_TEST(arm_instructions_are_read)
{
	check_row(&arm_rows[_i]);
}
END_TEST

/* Whatever the bytes: an instruction lies within them, and the same one is
 * read of its own bytes alone; of fewer, none.
 */
static void check_random(enum instruction_set set, const uint8_t *bytes,
			 size_t size)
{
	struct instruction read, again;
	int status = instruction_read(set, AT, bytes, size, &read);

	if (status <= 0)
		return;
	ck_assert_int_eq(status, 1);
	ck_assert_uint_ge(read.length, 1);
	ck_assert_uint_le(read.length, 15);
	ck_assert_uint_le(read.length, size);
	ck_assert_uint_le(read.kind, INSTRUCTION_FAR_JUMP);
	ck_assert_int_eq(instruction_read(set, AT, bytes, read.length, &again),
			 1);
	ck_assert_mem_eq(&again, &read, sizeof(read));
	ck_assert_int_eq(instruction_read(set, AT, bytes, read.length - 1u,
					  &again), 0);
}

START_TEST(random_bytes_are_read_within_their_bounds)
{
	uint32_t state = 1;
	uint8_t bytes[20];

	for (int i = 0; i < 100000; i++) {
		for (size_t at = 0; at < sizeof(bytes); at++)
			bytes[at] = (uint8_t)(next_random(&state) >> 16);
		check_random((enum instruction_set)_i, bytes,
			     next_random(&state) % sizeof(bytes));
	}
}
END_TEST

#define ROWS(rows) ((int)(sizeof(rows) / sizeof(*(rows))))

int main(void)
{
	Suite *suite = suite_create("instruction");
	TCase *tcase = tcase_create("instruction");

	tcase_add_loop_test(tcase, x86_instructions_are_read, 0,
			    ROWS(x86_rows));
	tcase_add_loop_test(tcase, a64_instructions_are_read, 0,
			    ROWS(a64_rows));
	tcase_add_loop_test(tcase, arm_instructions_are_read, 0,
			    ROWS(arm_rows));
	tcase_add_loop_test(tcase, random_bytes_are_read_within_their_bounds,
			    0, INSTRUCTION_SETS);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
