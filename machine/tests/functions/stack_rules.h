/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_STACK_RULES_H
#define KT_MACHINE_TESTS_STACK_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* An architecture's use of the stack in calls, interrupts and switches. */
struct stack_rules {
	/* Bytes that a call pushes: the stack pointer at the function's return
	 * is lower by this than at its call.
	 */
	uint64_t call_bytes;
	/* Returns the stack pointer at the end of an interrupt that arrived at
	 * @sp.
	 */
	uint64_t (*interrupt_slot)(uint64_t sp);
	/* The handler of kernel breakpoints moves the words that the CPU has
	 * pushed down by this much, to make room for an emulated call.
	 */
	uint64_t breakpoint_gap;
	/* Tasks are switched by a function that is entered on the old task's
	 * stack and returns on the next task's.
	 */
	bool switches_inside;
};

/* Returns the rules of the recording's architecture, which its trace unit
 * determines.
 */
const struct stack_rules *stack_rules_of(const struct recording *recording);

#endif
