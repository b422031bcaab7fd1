/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_memo.h"
#include "common/memory.h"
#include "execution/graph/block_graph.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_BITS = 9, MOST_BITS = 15, GROWTH_BITS = 3 };

/* A block may be in any of this many slots of its set. */
enum { SET_BITS = 2, SET_SLOTS = 1 << SET_BITS };

struct slot {
	const uint8_t *code; /* NULL: free */
	uint64_t target;     /* relative to the block's address */
	uint32_t work;
	uint16_t bytes;
	uint16_t last;
	uint8_t kind;
	uint8_t exit;
	bool switches_trace;
	bool writes_page_table;
};

_Static_assert(sizeof(struct slot) == 32, "two slots share a cache line");

/* It grows up to a megabyte: short traces need little, and the kernel's code is
 * not cached.
 */
struct block_memo {
	struct slot *slots; /* NULL before the first use */
	unsigned int bits;  /* log2 of their number */
	size_t puts;	    /* entries added since the slots were cleared */
};

struct block_memo *block_memo_new(void)
{
	return calloc(1, sizeof(struct block_memo));
}

void block_memo_free(struct block_memo *memo)
{
	if (memo)
		free(memo->slots);
	free(memo);
}

/* Returns the set for a block with its bytes at @code. */
static struct slot *set_of(const struct block_memo *memo, const uint8_t *code)
{
	size_t set = (uint64_t)(uintptr_t)code * 0x9e3779b97f4a7c15 >>
		     (64 - memo->bits + SET_BITS);

	return &memo->slots[set << SET_BITS];
}

/* Clears all entries: they are soon read again. If there is no memory for more
 * slots, keeps the old ones. Returns whether there are slots.
 */
static bool make_room(struct block_memo *memo)
{
	unsigned int bits = memo->slots ? memo->bits + GROWTH_BITS : LEAST_BITS;
	struct slot *slots;

	if (memo->slots &&
	    (memo->bits == MOST_BITS || memo->puts < (size_t)1 << memo->bits))
		return true;
	slots = large_memory_zeroed(sizeof(*slots) << bits);
	if (!slots)
		return memo->slots;
	free(memo->slots);
	*memo = (struct block_memo){ .slots = slots, .bits = bits };
	return true;
}

void block_memo_put(struct block_memo *memo, const uint8_t *code,
		    const struct block *block, const struct block_info *info)
{
	struct slot *set;

	if (!make_room(memo))
		return;
	memo->puts++;
	set = set_of(memo, code);
	memmove(set + 1, set, (SET_SLOTS - 1) * sizeof(*set));
	*set = (struct slot){
		.code = code,
		.target = info->target - block->ip,
		.work = block->work,
		.bytes = block->bytes,
		.last = info->last,
		.kind = block->kind,
		.exit = block->exit,
		.switches_trace = info->switches_trace,
		.writes_page_table = info->writes_page_table,
	};
}

/* Returns the slot of the block at @code, or NULL. */
static const struct slot *find(const struct block_memo *memo,
			       const uint8_t *code)
{
	const struct slot *set = set_of(memo, code);

	for (size_t i = 0; i < SET_SLOTS; i++)
		if (set[i].code == code)
			return &set[i];
	return NULL;
}

bool block_memo_get(const struct block_memo *memo, const uint8_t *code,
		    size_t left, struct block *block, struct block_info *info)
{
	const struct slot *slot;

	if (!memo->slots)
		return false;
	slot = find(memo, code);
	if (!slot || slot->bytes > left)
		return false;
	block->work = slot->work;
	block->bytes = slot->bytes;
	block->kind = slot->kind;
	block->exit = slot->exit;
	info->target = slot->target + block->ip;
	info->last = slot->last;
	info->switches_trace = slot->switches_trace;
	info->writes_page_table = slot->writes_page_table;
	return true;
}

void block_memo_clear(struct block_memo *memo)
{
	if (memo->puts)
		memset(memo->slots, 0, sizeof(*memo->slots) << memo->bits);
	memo->puts = 0;
}
