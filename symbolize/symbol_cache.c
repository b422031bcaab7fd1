/* SPDX-License-Identifier: MIT */
#include "symbolize/symbol_cache.h"

#include <stdlib.h>

enum { SLOT_BITS = 14 };

struct slot {
	uint64_t address;	/* 0: free */
	struct symbol symbol;
};

struct symbol_cache {
	const struct symbols *symbols;
	uint64_t kernel_start;
	int32_t pid;
	struct slot slots[1 << SLOT_BITS];
};

struct symbol_cache *symbol_cache_new(const struct symbols *symbols)
{
	struct symbol_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->symbols = symbols;
	cache->kernel_start = symbols_arch(symbols)->kernel_start;
	cache->pid = -1;
	return cache;
}

void symbol_cache_free(struct symbol_cache *cache)
{
	free(cache);
}

static struct slot *slot_of(struct symbol_cache *cache, uint64_t address)
{
	return &cache->slots[address * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS)];
}

const struct symbol *symbol_cache_find(struct symbol_cache *cache,
				       uint64_t address)
{
	struct slot *slot = slot_of(cache, address);

	if (slot->address != address || !address) {
		symbols_find(cache->symbols, cache->pid, address,
			     &slot->symbol);
		slot->address = address;
	}
	return &slot->symbol;
}

void symbol_cache_switch(struct symbol_cache *cache, int32_t pid)
{
	if (pid == cache->pid)
		return;
	cache->pid = pid;
	for (size_t i = 0; i < 1 << SLOT_BITS; i++)
		if (cache->slots[i].address < cache->kernel_start)
			cache->slots[i].address = 0;
}
