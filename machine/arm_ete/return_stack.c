/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/return_stack.h"

void ete_return_stack_clear(struct ete_return_stack *stack)
{
	stack->top = 0;
	stack->count = 0;
}

void ete_return_stack_push(struct ete_return_stack *stack, uint64_t address)
{
	stack->addresses[stack->top] = address;
	stack->top = (stack->top + 1) % ETE_RETURN_STACK_DEPTH;
	if (stack->count < ETE_RETURN_STACK_DEPTH)
		stack->count++;
}

bool ete_return_stack_match(struct ete_return_stack *stack, uint64_t target)
{
	unsigned newest = (stack->top + ETE_RETURN_STACK_DEPTH - 1) %
			  ETE_RETURN_STACK_DEPTH;

	if (!stack->count || stack->addresses[newest] != target)
		return false;
	stack->top = newest;
	stack->count--;
	return true;
}
