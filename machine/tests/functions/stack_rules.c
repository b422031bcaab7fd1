/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/stack_rules.h"

#include "machine/tests/conformance/recording.h"

/* The CPU aligns the stack to 16 bytes and pushes five words, from which iret
 * restores; an error code has been popped by then. On a separate stack of the
 * handler the address differs, and is not needed.
 */
static uint64_t x86_interrupt_slot(uint64_t sp)
{
	return (sp & ~15ULL) - 5 * sizeof(uint64_t);
}

/* The kernel saves registers below the interrupted stack pointer, and has
 * restored that pointer when it executes ERET.
 */
static uint64_t arm64_interrupt_slot(uint64_t sp)
{
	return sp;
}

static const struct stack_rules x86_rules = {
	.call_bytes = sizeof(uint64_t),
	.interrupt_slot = x86_interrupt_slot,
	/* "Create a gap", idtentry in arch/x86/entry/entry_64.S. */
	.breakpoint_gap = 6 * sizeof(uint64_t),
};

/* Calls put the return address into a register. */
static const struct stack_rules arm64_rules = {
	.interrupt_slot = arm64_interrupt_slot,
	.switches_inside = true,
};

const struct stack_rules *stack_rules_of(const struct recording *recording)
{
	return recording->is_coresight ? &arm64_rules : &x86_rules;
}
