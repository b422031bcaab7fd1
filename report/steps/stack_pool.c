/* SPDX-License-Identifier: MIT */
#include "report/steps/stack_switch_internal.h"

#include "common/array.h"
#include "common/bytes.h"
#include "report/steps/call_frames.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The suspended stacks of a process, newest last. If there are too many stacks
 * or frames, the oldest stack is dropped.
 *
 * Code that was decoded wrongly suspends thousands of stacks, and a Go program
 * may have thousands of parked goroutines. So a search must not compare each
 * stack frame by frame:
 *
 * - A map counts the keys of all stacks. Each of their upper frames has two, for
 *   its return address and for its function. A search for another key ends at
 *   once (stack_pool_may_fit()).
 * - Stacks with equal frames have the same shape, so a search compares only one
 *   of them (stack_pool_shape()).
 *
 *	added ── frames may still change ──► keyed ── counted out ──► forgotten
 *	                        stack_pool_may_fit()
 *
 * The stacks without keys are the newest ones. A small pool has no keys: they
 * would cost more than its searches.
 */

enum { LEAST_KEYED_STACKS = 32 };

struct stack_pool *stack_pool_new(void)
{
	struct stack_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->stacks = ARRAY_OF(struct suspended_stack);
	pool->ended = ARRAY_OF(uint32_t);
	return pool;
}

void stack_pool_clear(struct stack_pool *pool)
{
	for (uint32_t i = 0; i < stack_pool_count(pool); i++) {
		call_stack_free(stack_pool_at(pool, i));
		free(stack_pool_at(pool, i));
	}
	array_free(&pool->stacks);
	number_map_free(&pool->keys);
	pool->lacks_keys = false;
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

static struct suspended_stack *suspended_at(const struct stack_pool *pool,
					    uint32_t index)
{
	return array_at(&pool->stacks, index);
}

struct call_stack *stack_pool_at(const struct stack_pool *pool, uint32_t index)
{
	return suspended_at(pool, index)->stack;
}

struct call_stack *stack_pool_add(struct stack_pool *pool)
{
	struct suspended_stack added = {
		.stack = calloc(1, sizeof(*added.stack)),
	};

	if (added.stack && array_append(&pool->stacks, &added) == 0)
		return added.stack;
	free(added.stack);
	return NULL;
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

/* Functions are below 1 << 32, so their keys differ from those of addresses
 * except by accident, which only makes a search start in vain.
 */
static uint64_t key_of(size_t above, uint64_t address, uint32_t function)
{
	return (address ? address : function) ^ (uint64_t)(above + 1) << 56;
}

enum { MOST_KEYS = 2 * STACK_POOL_KEYED };

/* Stores the keys of @stack and returns their number. */
static size_t keys_of(const struct call_stack *stack, uint64_t keys[MOST_KEYS])
{
	size_t count = 0;

	for (size_t i = 0; i < STACK_POOL_KEYED && i < stack->count; i++) {
		const struct call_frame *frame = stack_from_top(stack, i);

		if (frame->return_address)
			keys[count++] = key_of(i, frame->return_address, 0);
		keys[count++] = key_of(i, 0, frame->function);
	}
	return count;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t shape_of(const struct call_stack *stack)
{
	uint64_t hash = 1;

	if (stack->is_unwound)
		return 0;
	for (size_t i = 0; i < stack->count; i++) {
		const struct call_frame *frame = frames_at(stack, i);

		hash = mix(hash, frame->return_address);
		hash = mix(hash, (uint64_t)frame->function << 32 |
					 (uint64_t)frame->returns << 1 |
					 frame->is_signal);
	}
	return hash;
}

static void count_in(struct stack_pool *pool, struct suspended_stack *suspended)
{
	struct call_stack *stack = suspended->stack;
	uint64_t keys[MOST_KEYS];
	size_t count = keys_of(stack, keys);

	for (size_t i = 0; i < count; i++) {
		uint64_t *stacks = number_map_add(&pool->keys, keys[i]);

		if (stacks)
			++*stacks;
		else
			pool->lacks_keys = true;
	}
	stack->is_keyed = true;
	suspended->shape = shape_of(stack);
}

static void count_out(struct stack_pool *pool,
		      struct suspended_stack *suspended)
{
	struct call_stack *stack = suspended->stack;
	uint64_t keys[MOST_KEYS];
	size_t count = stack->is_keyed ? keys_of(stack, keys) : 0;

	for (size_t i = 0; i < count; i++)
		number_map_lower(&pool->keys, keys[i]);
	stack->is_keyed = false;
	suspended->shape = 0;
}

/* Counts the keys of the newest stacks, which do not change any more. */
static void count_newest(struct stack_pool *pool)
{
	for (uint32_t i = stack_pool_count(pool); i-- > 0;) {
		struct suspended_stack *suspended = suspended_at(pool, i);

		if (suspended->stack->is_keyed)
			return;
		count_in(pool, suspended);
	}
}

bool stack_pool_may_fit(struct stack_pool *pool, size_t above, uint64_t address,
			uint32_t function)
{
	assert(above < STACK_POOL_KEYED);
	if (stack_pool_count(pool) < LEAST_KEYED_STACKS)
		return true;
	count_newest(pool);
	return pool->lacks_keys ||
	       number_map_find(&pool->keys, key_of(above, address, function));
}

uint64_t stack_pool_shape(const struct stack_pool *pool, uint32_t index)
{
	return suspended_at(pool, index)->shape;
}

void stack_pool_renew(struct stack_pool *pool, uint32_t index)
{
	struct suspended_stack *at = suspended_at(pool, index);
	struct suspended_stack renewed;
	size_t after = pool->stacks.count - 1 - index;

	/* The stacks after it may have no keys. */
	count_out(pool, at);
	renewed = *at;
	memmove(at, at + 1, after * sizeof(*at));
	at[after] = renewed;
}

void stack_pool_forget(struct stack_pool *pool, uint32_t index)
{
	struct call_stack *stack = stack_pool_at(pool, index);

	pool->frames -= stack->count;
	count_out(pool, suspended_at(pool, index));
	call_stack_free(stack);
	free(stack);
	array_remove(&pool->stacks, index, 1);
}

void stack_pool_drop_oldest(struct stack_pool *pool)
{
	while (stack_pool_count(pool) > STACK_POOL_STACKS ||
	       pool->frames > STACK_POOL_FRAMES)
		stack_pool_forget(pool, 0);
}
