/* SPDX-License-Identifier: MIT */
#include "report/steps/stack_switch_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_frames.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Moves frames to the pool of suspended stacks (stack_switch_internal.h). A
 * partial stack need not be copied: the stack in the pool that it was assumed to
 * be waits again, unless its frames turned out to be others.
 */

const struct call_frame *stack_from_top(const struct call_stack *stack,
					size_t index)
{
	return frames_at(stack, stack->count - 1 - index);
}

uint32_t stack_common_frames(const struct call_stack *a,
			     const struct call_stack *b, size_t gone)
{
	uint32_t least = a->count < b->count ? a->count : b->count;
	uint32_t count = 0;

	while (gone + count < least &&
	       stack_from_top(a, gone + count)->function ==
		       stack_from_top(b, gone + count)->function) {
		count++;
		if (stack_from_top(a, gone + count - 1)->return_address !=
		    stack_from_top(b, gone + count - 1)->return_address)
			break;
	}
	return count;
}

/* Returns the index of the stack in the pool that the partial @stack is assumed
 * to be, or NO_FRAME.
 */
static size_t find_guessed(const struct call_stack *stack)
{
	if (!stack->partial.gone || !stack->pool)
		return NO_FRAME;
	for (uint32_t i = 0; i < stack_pool_count(stack->pool); i++) {
		const struct call_stack *kept = stack_pool_at(stack->pool, i);

		if (kept->is_guessed && kept->fiber == stack->fiber)
			return i;
	}
	return NO_FRAME;
}

/* Returns whether the frames of the partial @stack are the innermost ones of
 * @kept, its copy in the pool.
 */
static bool is_as_before(const struct call_stack *stack,
			 const struct call_stack *kept)
{
	uint32_t count = stack->count - stack->partial.has_caller;

	return kept->count > count &&
	       stack_common_frames(stack, kept, 0) == count;
}

void stack_switch_end_guess(struct call_stack *stack)
{
	size_t index = find_guessed(stack);

	if (index != NO_FRAME)
		stack_pool_at(stack->pool, (uint32_t)index)->is_guessed = false;
	stack->partial = (struct partial_stack){ 0 };
}

/* Suspends the partial @stack by ending the guess: the stack in the pool that
 * it was assumed to be is unchanged, and waits again. Returns that stack, which
 * is now the newest; NULL if there is none or if its frames differ.
 */
static struct call_stack *suspend_again(struct call_stack *stack)
{
	struct stack_pool *pool = stack->pool;
	size_t index = find_guessed(stack);
	struct call_stack *again;

	if (index == NO_FRAME)
		return NULL;
	again = stack_pool_at(pool, (uint32_t)index);
	if (!is_as_before(stack, again))
		return NULL;
	again->is_guessed = false;
	stack_pool_renew(pool, (uint32_t)index);
	return again;
}

struct call_stack *stack_keep_frames(struct call_stack *stack, size_t at,
				     size_t end)
{
	uint32_t count = (uint32_t)(end - at);
	struct call_stack *kept = stack_pool_add(stack->pool);

	if (!kept)
		return NULL;
	kept->frames = calloc(count + 1, sizeof(*kept->frames));
	if (!kept->frames) {
		stack_pool_forget(stack->pool,
				  stack_pool_count(stack->pool) - 1);
		return NULL;
	}
	memcpy(kept->frames, frames_at(stack, at),
	       count * sizeof(*kept->frames));
	kept->count = count;
	kept->room = count + 1;
	kept->fiber = stack->fiber;
	stack->pool->frames += count;
	return kept;
}

struct call_stack *stack_keep_from(struct call_stack *stack, size_t at)
{
	struct call_stack *kept = at ? NULL : suspend_again(stack);

	if (kept)
		return kept;
	kept = stack_keep_frames(stack, at, stack->count);
	if (kept && !at)
		kept->partial = stack->partial;
	return kept;
}

int stack_move_to_pool(struct call_stack *stack, size_t at,
		       struct call_stack_output *output)
{
	struct call_stack *kept = stack_keep_from(stack, at);

	if (!kept)
		return -ERROR_MEMORY;
	if (at)
		kept->frames[0].returns = RETURNS_ANYWHERE;
	kept->owner = output->step.task->index;
	if (at)
		kept->fiber = stack_pool_next_fiber(stack->pool);
	else
		stack->partial = (struct partial_stack){ 0 };
	while (stack->count > at)
		frames_pop(stack, UNSEEN_END, output);
	return 0;
}

int stack_suspend_from(struct call_stack *stack, size_t at,
		       struct call_stack_output *output)
{
	int status = stack_move_to_pool(stack, at, output);

	stack_pool_drop_oldest(stack->pool);
	return status;
}
