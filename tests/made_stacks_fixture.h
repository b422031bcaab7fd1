/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_MADE_STACKS_FIXTURE_H
#define KT_TESTS_MADE_STACKS_FIXTURE_H

#include "tests/made_elf_fixture.h"

#include <stdint.h>

enum {
	MADE_STACK_WORDS = 96,
	MADE_STACK_REGISTERS = 33,
	/* where the program is mapped in the process */
	MADE_STACK_CODE = 0x55550000,
};

/* A program, a sample of one of its stacks, and the expected call chain. */
struct made_stack {
	struct made_elf elf;
	uint64_t registers[MADE_STACK_REGISTERS]; /* by perf's numbers */
	/* stack content from the stack pointer upwards */
	uint64_t words[MADE_STACK_WORDS];
	/* innermost function first, then NULL */
	const char *wanted[8];
};

/* One stack for each kind of frame. */
struct made_stack_case {
	const char *arch; /* as in uname -m */
	/* @made is all 0 before the call */
	void (*make)(struct made_stack *made);
};

enum { MADE_STACKS = 9 };
extern const struct made_stack_case made_stacks[MADE_STACKS];

#endif
