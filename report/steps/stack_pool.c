/* SPDX-License-Identifier: MIT */
#include "report/steps/stack_switch_internal.h"

#include "common/array.h"
#include "common/bytes.h"
#include "report/steps/call_frames.h"

#include <stdlib.h>

/* The suspended stacks of a process, newest last. If there are too many stacks
 * or frames, the oldest stack is dropped.
 */

struct stack_pool *stack_pool_new(void)
{
	struct stack_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->stacks = ARRAY_OF(struct call_stack);
	pool->ended = ARRAY_OF(uint32_t);
	return pool;
}

void stack_pool_clear(struct stack_pool *pool)
{
	for (uint32_t i = 0; i < stack_pool_count(pool); i++)
		call_stack_free(stack_pool_at(pool, i));
	array_free(&pool->stacks);
	array_free(&pool->ended);
	pool->frames = 0;
	pool->fibers = 0;
}

void stack_pool_free(struct stack_pool *pool)
{
	if (!pool)
		return;
	stack_pool_clear(pool);
	free(pool);
}

uint32_t stack_pool_count(const struct stack_pool *pool)
{
	return (uint32_t)pool->stacks.count;
}

struct call_stack *stack_pool_at(const struct stack_pool *pool, uint32_t index)
{
	return array_at(&pool->stacks, index);
}

struct call_stack *stack_pool_add(struct stack_pool *pool)
{
	return array_add(&pool->stacks);
}

void stack_pool_added(struct stack_pool *pool)
{
	pool->frames += stack_pool_at(pool, stack_pool_count(pool) - 1)->count;
}

void stack_pool_pack_fibers(struct stack_pool *pool, struct pack *pack)
{
	uint32_t count = (uint32_t)pool->ended.count;

	pack_u32(pack, &pool->fibers);
	pack_u32(pack, &count);
	pack_check(pack, count <= pool->fibers);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		uint32_t *fiber = array_reach(&pool->ended, i);

		pack_check(pack, fiber);
		if (fiber)
			pack_u32(pack, fiber);
	}
}

uint32_t stack_pool_next_fiber(struct stack_pool *pool)
{
	if (!pool->ended.count)
		return ++pool->fibers;
	return *(uint32_t *)array_at(&pool->ended, --pool->ended.count);
}

void stack_pool_pause(struct stack_pool *pool)
{
	for (uint32_t i = 0; pool && i < stack_pool_count(pool); i++)
		stack_pool_at(pool, i)->is_doubtful = true;
}

void stack_pool_forget(struct stack_pool *pool, uint32_t index)
{
	struct call_stack *stack = stack_pool_at(pool, index);

	pool->frames -= stack->count;
	call_stack_free(stack);
	array_remove(&pool->stacks, index, 1);
}

void stack_pool_drop_oldest(struct stack_pool *pool)
{
	while (stack_pool_count(pool) > STACK_POOL_STACKS ||
	       pool->frames > STACK_POOL_FRAMES)
		stack_pool_forget(pool, 0);
}
