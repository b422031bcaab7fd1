/* SPDX-License-Identifier: MIT */
#include "tests/made_stacks_fixture.h"

#include <elf.h>
#include <string.h>

enum {
	STACK = 0x7fff0000, /* the stack pointer */
	MOVED = MADE_STACK_CODE - MADE_ELF_BASE,
	/* perf's numbers */
	X86_BP = 6,
	X86_SP = 7,
	X86_IP = 8,
	ARM64_FP = 29,
	ARM64_LR = 30,
	ARM64_SP = 31,
	ARM64_PC = 32,
};

/* The bits above the address in a signed pointer to user code. */
#define SIGNED UINT64_C(0xab2a000000000000)

#define PROGRAM(...) \
	(const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ })
#define NO_PROGRAM NULL, 0
/* A common one for all: the stack pointer, and on x86 the return address
 * above it.
 */
#define ARM64_COMMON 30, PROGRAM(DEF_CFA, 31, 0)
#define X86_COMMON 16, PROGRAM(DEF_CFA, 7, 8, OFFSET(16), 1)

/* DW_CFA_*, with operands in words below the canonical frame address. */
enum {
	NOP,
	UNDEFINED = 0x07,
	DEF_CFA = 0x0c,
	DEF_CFA_OFFSET = 0x0e,
	DEF_CFA_EXPRESSION = 0x0f,
	VALUE_EXPRESSION = 0x16,
	NEGATE_RA_STATE = 0x2d,
};
#define OFFSET(number) (0x80 | (number))

/* Adds a function; returns the address after a call in it. */
static uint64_t add(struct made_stack *made, const char *name,
		    const uint8_t *program, size_t size)
{
	uint64_t address = made_elf_next(&made->elf) + MOVED + 8;

	made_elf_function(&made->elf, name, program, size);
	return address;
}

/* By stack pointer, twice; by frame pointer; the first one of all. */
static void arm64(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_PC] = add(made, "inner", PROGRAM(NOP));
	made->registers[ARM64_LR] =
		add(made, "middle",
		    PROGRAM(NEGATE_RA_STATE, DEF_CFA_OFFSET, 32, OFFSET(29), 4,
			    OFFSET(30), 3)) |
		SIGNED;
	made->words[0] = STACK + 48;
	made->words[1] =
		add(made, "outer",
		    PROGRAM(DEF_CFA, 29, 16, OFFSET(29), 2, OFFSET(30), 1)) |
		SIGNED;
	made->words[7] = add(made, "start", PROGRAM(UNDEFINED, 30));
	memcpy(made->wanted,
	       (const char *[]){ "inner", "middle", "outer", "start", NULL },
	       5 * sizeof(char *));
}

static void x86(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_IP] = add(made, "inner", PROGRAM(NOP));
	made->words[0] =
		add(made, "middle", PROGRAM(DEF_CFA_OFFSET, 32, OFFSET(6), 2));
	made->words[3] = STACK + 48;
	made->words[4] =
		add(made, "outer", PROGRAM(DEF_CFA, 6, 16, OFFSET(6), 2));
	made->words[7] = add(made, "start", PROGRAM(UNDEFINED, 16));
	memcpy(made->wanted,
	       (const char *[]){ "inner", "middle", "outer", "start", NULL },
	       5 * sizeof(char *));
}

/* Code without unwind information: the caller's other registers are lost,
 * including its stack pointer, which is restored from its frame pointer.
 */
static void arm64_linked(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_FP] = STACK + 16;
	made->registers[ARM64_PC] = add(made, "made", NO_PROGRAM);
	made->words[2] = STACK + 40;
	made->words[3] = add(made, "by_stack",
			     PROGRAM(DEF_CFA_OFFSET, 32, OFFSET(30), 3)) |
			 SIGNED;
	made->words[5] = STACK + 80;
	made->words[6] =
		add(made, "by_frame", PROGRAM(DEF_CFA, 29, 48, OFFSET(30), 5));
	made->words[11] = add(made, "start", PROGRAM(UNDEFINED, 30));
	memcpy(made->wanted,
	       (const char *[]){ "made", "by_stack", "by_frame", "start",
				 NULL },
	       5 * sizeof(char *));
}

static void x86_linked(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_BP] = STACK + 16;
	made->registers[X86_IP] = add(made, "made", NO_PROGRAM);
	made->words[3] = add(made, "by_stack", PROGRAM(DEF_CFA_OFFSET, 16));
	made->words[5] = add(made, "start", PROGRAM(UNDEFINED, 16));
	made->words[2] = STACK + 80;
	memcpy(made->wanted,
	       (const char *[]){ "made", "by_stack", "start", NULL },
	       4 * sizeof(char *));
}

/* As linkers describe .plt and compilers realigned stacks; then a caller whose
 * stack pointer is computed.
 */
static void x86_expressions(struct made_stack *made)
{
	static const uint8_t plt[] = {
		DEF_CFA_EXPRESSION,
		11,
		/* breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus */
		0x77,
		8,
		0x80,
		0,
		0x3f,
		0x1a,
		0x3b,
		0x2a,
		0x33,
		0x24,
		0x22,
	};

	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_BP] = STACK + 24;
	made->registers[X86_IP] = add(made, "plt", plt, sizeof(plt)) + 3;
	made->words[1] = add(made, "realigned",
			     /* breg6 -8, deref */
			     PROGRAM(DEF_CFA_EXPRESSION, 3, 0x76, 0x78, 0x06));
	made->words[2] = STACK + 80;
	made->words[9] = add(made, "computed",
			     /* lit16, plus */
			     PROGRAM(VALUE_EXPRESSION, 7, 2, 0x40, 0x22));
	made->words[10] = add(made, "above", PROGRAM(NOP));
	made->words[13] = add(made, "start", PROGRAM(UNDEFINED, 16));
	memcpy(made->wanted,
	       (const char *[]){ "plt", "realigned", "computed", "above",
				 "start", NULL },
	       6 * sizeof(char *));
}

/* A signal interrupted a function before its first instruction. */
static void arm64_signal(struct made_stack *made)
{
	/* mov x8, #139; svc #0 */
	static const uint8_t code[] = { 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 };
	enum { CONTEXT = 39 };
	uint64_t restorer;

	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_PC] = add(made, "handler", PROGRAM(NOP));
	restorer = made_elf_next(&made->elf);
	memcpy(made->elf.bytes + (restorer - MADE_ELF_BASE), code,
	       sizeof(code));
	made->registers[ARM64_LR] = restorer + MOVED;
	add(made, "restorer", NO_PROGRAM);
	made->words[CONTEXT + ARM64_PC] = made_elf_next(&made->elf) + MOVED;
	add(made, "interrupted", PROGRAM(NOP));
	made->words[CONTEXT + ARM64_SP] = STACK + 600;
	made->words[CONTEXT + ARM64_LR] =
		add(made, "start", PROGRAM(UNDEFINED, 30)) | SIGNED;
	memcpy(made->wanted,
	       (const char *[]){ "handler", "restorer", "interrupted", "start",
				 NULL },
	       5 * sizeof(char *));
}

/* Code without a file is assumed to be a leaf: its return address is in a
 * register, and the frame pointer is its caller's.
 */
static void arm64_leaf(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_FP] = STACK + 16;
	made->registers[ARM64_PC] = STACK / 2;
	made->registers[ARM64_LR] =
		add(made, "caller",
		    PROGRAM(DEF_CFA_OFFSET, 16, OFFSET(30), 1)) |
		SIGNED;
	made->words[3] = add(made, "start", PROGRAM(UNDEFINED, 30)) | SIGNED;
	memcpy(made->wanted,
	       (const char *[]){ "[unknown]", "caller", "start", NULL },
	       4 * sizeof(char *));
}

/* It names a register that no architecture has: the rest of the file's unwind
 * information for its frame is not used.
 */
static void x86_absurd(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_IP] =
		add(made, "inner", PROGRAM(UNDEFINED, 0xff, 0xff, 0x7f));
	made->words[0] = add(made, "start", PROGRAM(UNDEFINED, 16));
	memcpy(made->wanted, (const char *[]){ "inner", NULL },
	       2 * sizeof(char *));
}

/* The stack has no end: neither address nor stack pointer changes. */
static void arm64_endless(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_PC] = add(made, "inner", PROGRAM(NOP));
	made->registers[ARM64_LR] = add(made, "start", PROGRAM(NOP));
	memcpy(made->wanted, (const char *[]){ "inner", "start", NULL },
	       3 * sizeof(char *));
}

const struct made_stack_case made_stacks[MADE_STACKS] = {
	{ "aarch64", arm64 },	      { "aarch64", arm64_linked },
	{ "aarch64", arm64_signal },  { "aarch64", arm64_leaf },
	{ "aarch64", arm64_endless }, { "x86_64", x86 },
	{ "x86_64", x86_linked },     { "x86_64", x86_expressions },
	{ "x86_64", x86_absurd },
};
