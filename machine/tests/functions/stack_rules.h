/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_STACK_RULES_H
#define KT_MACHINE_TESTS_STACK_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* How an architecture's calls, interrupts and switches use stacks. */
struct stack_rules {
	/* A call pushes so much; the stack pointer at the function's return is
	 * lower than that at its call by it.
	 */
	uint64_t call_bytes;
	/* The stack pointer at the end of an interrupt that came at @sp. */
	uint64_t (*interrupt_slot)(uint64_t sp);
	/* The handler of breakpoints in the kernel moves what the CPU has pushed
	 * down by so much, to make room for a call that it stands in for.
	 */
	uint64_t breakpoint_gap;
	/* Tasks are switched by a function that is entered on the old stack and
	 * left on the next task's.
	 */
	bool switches_inside;
};

/* Those of the recording's architecture, which its trace unit tells. */
const struct stack_rules *stack_rules_of(const struct recording *recording);

#endif
