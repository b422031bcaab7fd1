/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_memo.h"
#include "execution/graph/block_graph.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_BITS = 15 };

struct slot {
	const uint8_t *code; /* NULL: it is free */
	uint64_t target;     /* behind the block's address */
	uint32_t work;
	uint16_t bytes;
	uint16_t last;
	uint8_t kind;
	uint8_t exit;
	bool switches_trace;
	bool writes_page_table;
};

_Static_assert(sizeof(struct slot) == 32, "two slots share a cache line");

/* The megabyte comes with the first block: the kernel's code needs none. */
struct block_memo {
	struct slot *slots;
	bool is_empty;
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

static size_t index_of(const uint8_t *code)
{
	return (uint64_t)(uintptr_t)code * 0x9e3779b97f4a7c15 >>
	       (64 - SLOT_BITS);
}

void block_memo_put(struct block_memo *memo, const uint8_t *code,
		    const struct block *block, const struct block_info *info)
{
	if (!memo->slots)
		memo->slots = calloc(1 << SLOT_BITS, sizeof(*memo->slots));
	if (!memo->slots)
		return;
	memo->is_empty = false;
	memo->slots[index_of(code)] = (struct slot){
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

bool block_memo_get(const struct block_memo *memo, const uint8_t *code,
		    size_t left, struct block *block, struct block_info *info)
{
	const struct slot *slot;

	if (!memo->slots)
		return false;
	slot = &memo->slots[index_of(code)];
	if (slot->code != code || slot->bytes > left)
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
	if (memo->slots && !memo->is_empty)
		memset(memo->slots, 0, sizeof(*memo->slots) << SLOT_BITS);
	memo->is_empty = true;
}
