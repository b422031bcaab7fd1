/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RETURN_STACK_H
#define KT_EXECUTION_RETURN_STACK_H

/* The return addresses of open calls, as the trace unit keeps them to compress
 * returns, and the block of each call, which gives a return its edge.
 *
 * 1. It has at most RETURN_STACK_SIZE entries; older ones are lost, as in the
 *    unit, and a return to them has its address in the trace.
 * 2. An address of 0 is not an entry: a pop then fails, and leaves the stack as
 *    it is.
 * 3. A block number is valid only until code changes: afterwards
 *    return_stack_forget_blocks() leaves the addresses, which stay true.
 */

#include "execution/graph/block.h"
#include <stdbool.h>
#include <stdint.h>

/* The return addresses of the innermost calls, as the trace unit keeps them: a
 * return to the expected address is one bit in the trace instead of an address
 * (Intel SDM, volume 3, "Return Compression for RETs": 64 of them). If the
 * stack overflows, the oldest entry is dropped.
 */
enum { RETURN_STACK_SIZE = 64 };

struct return_stack {
	uint32_t top;
	struct {
		uint64_t address; /* 0: no call */
		/* block that made the call; BLOCK_NONE if none or unknown */
		uint32_t block;
	} calls[RETURN_STACK_SIZE];
};

static inline void return_stack_push(struct return_stack *stack,
				     uint64_t address, uint32_t block)
{
	stack->top = (stack->top + 1) % RETURN_STACK_SIZE;
	stack->calls[stack->top].address = address;
	stack->calls[stack->top].block = block;
}

/* Returns the block that made the innermost call. */
static inline uint32_t return_stack_top(const struct return_stack *stack)
{
	return stack->calls[stack->top].block;
}

static inline void return_stack_drop(struct return_stack *stack)
{
	stack->calls[stack->top].address = 0;
	stack->calls[stack->top].block = BLOCK_NONE;
	stack->top = (stack->top - 1) % RETURN_STACK_SIZE;
}

/* Pops the innermost call. Returns false if the stack is empty. */
static inline bool return_stack_pop(struct return_stack *stack,
				    uint64_t *address, uint32_t *block)
{
	*address = stack->calls[stack->top].address;
	*block = stack->calls[stack->top].block;
	if (!*address)
		return false;
	return_stack_drop(stack);
	return true;
}

/* Must be called when code changed: the calling blocks may have changed since
 * their calls.
 */
static inline void return_stack_forget_blocks(struct return_stack *stack)
{
	for (int i = 0; i < RETURN_STACK_SIZE; i++)
		stack->calls[i].block = BLOCK_NONE;
}

static inline void return_stack_clear(struct return_stack *stack)
{
	for (int i = 0; i < RETURN_STACK_SIZE; i++) {
		stack->calls[i].address = 0;
		stack->calls[i].block = BLOCK_NONE;
	}
}

#endif
