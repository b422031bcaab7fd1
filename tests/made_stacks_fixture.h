/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_MADE_STACKS_FIXTURE_H
#define KT_TESTS_MADE_STACKS_FIXTURE_H

#include "tests/made_elf_fixture.h"

#include <stdint.h>

enum {
	MADE_STACK_WORDS = 96,
	MADE_STACK_REGISTERS = 33,
	MADE_STACK_CODE = 0x55550000, /* where the process has the program */
};

/* A program, one of its stacks as a sample has it, and what is on it. */
struct made_stack {
	struct made_elf elf;
	uint64_t registers[MADE_STACK_REGISTERS]; /* by perf's numbers */
	uint64_t words[MADE_STACK_WORDS]; /* from the stack pointer on */
	const char *wanted[8];		  /* the innermost first, then NULL */
};

/* One stack of each kind that there is. */
struct made_stack_case {
	const char *arch;		       /* as uname -m has it */
	void (*make)(struct made_stack *made); /* of one that is all 0 */
};

enum { MADE_STACKS = 9 };
extern const struct made_stack_case made_stacks[MADE_STACKS];

#endif
