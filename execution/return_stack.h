/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RETURN_STACK_H
#define KT_EXECUTION_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Where the innermost calls return to, as the trace unit keeps it: a return
 * that goes there is a bit, no address (Intel SDM, volume 3, "Return
 * Compression for RETs": 64 of them).  The oldest of too many is forgotten.
 */
enum { RETURN_STACK_SIZE = 64 };

struct return_stack {
	uint32_t top;
	uint32_t count;
	struct {
		uint64_t address;
		uint32_t block;		/* that made the call */
	} calls[RETURN_STACK_SIZE];
};

static inline void return_stack_push(struct return_stack *stack,
				     uint64_t address, uint32_t block)
{
	stack->top = (stack->top + 1) % RETURN_STACK_SIZE;
	stack->calls[stack->top].address = address;
	stack->calls[stack->top].block = block;
	if (stack->count < RETURN_STACK_SIZE)
		stack->count++;
}

/* Returns whether there is a call to return to. */
static inline bool return_stack_pop(struct return_stack *stack,
				    uint64_t *address, uint32_t *block)
{
	if (!stack->count)
		return false;
	*address = stack->calls[stack->top].address;
	*block = stack->calls[stack->top].block;
	stack->top = (stack->top - 1) % RETURN_STACK_SIZE;
	stack->count--;
	return true;
}

static inline void return_stack_clear(struct return_stack *stack)
{
	stack->count = 0;
}

#endif
