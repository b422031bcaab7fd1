/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/return_stack.h"

void pt_return_stack_clear(struct pt_return_stack *stack)
{
	stack->top = 0;
	stack->count = 0;
}

void pt_return_stack_push(struct pt_return_stack *stack, uint64_t address)
{
	stack->addresses[stack->top] = address;
	stack->top = (stack->top + 1) % PT_RETURN_STACK_DEPTH;
	if (stack->count < PT_RETURN_STACK_DEPTH)
		stack->count++;
}

bool pt_return_stack_match(struct pt_return_stack *stack, uint64_t target)
{
	unsigned newest = (stack->top + PT_RETURN_STACK_DEPTH - 1) %
			  PT_RETURN_STACK_DEPTH;

	if (!stack->count || stack->addresses[newest] != target) {
		pt_return_stack_clear(stack);
		return false;
	}
	stack->top = newest;
	stack->count--;
	return true;
}
