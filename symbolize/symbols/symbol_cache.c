/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/symbol_cache.h"

#include <stdbool.h>
#include <stdlib.h>

enum { SLOT_BITS = 14 };

struct slot {
	uint64_t address; /* 0: free */
	int32_t pid;	  /* of user code; -1: kernel code */
	uint64_t from_ns; /* the symbol is valid from then on */
	uint64_t until_ns;
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

static struct slot *slot_of(struct symbol_cache *cache, uint64_t address,
			    int32_t pid)
{
	uint64_t key = address ^ (uint64_t)(uint32_t)pid << 32;

	return &cache->slots[key * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS)];
}

static void fill(const struct symbols *symbols, struct slot *slot, int32_t pid,
		 uint64_t time_ns, uint64_t address)
{
	struct symbol_range range;

	symbols_find_range(symbols, pid, time_ns, address, &slot->symbol,
			   &range);
	slot->address = address;
	slot->pid = pid;
	slot->from_ns = pid < 0 ? 0 : time_ns;
	slot->until_ns = range.until_ns;
}

static bool has(const struct slot *slot, int32_t pid, uint64_t time_ns,
		uint64_t address)
{
	return slot->address == address && slot->pid == pid && address &&
	       time_ns >= slot->from_ns && time_ns < slot->until_ns;
}

const struct symbol *symbol_cache_find(struct symbol_cache *cache,
				       uint64_t time_ns, uint64_t address)
{
	int32_t pid = address >= cache->kernel_start ? -1 : cache->pid;
	struct slot *slot = slot_of(cache, address, pid);

	if (!has(slot, pid, time_ns, address))
		fill(cache->symbols, slot, pid, time_ns, address);
	return &slot->symbol;
}

void symbol_cache_switch(struct symbol_cache *cache, int32_t pid)
{
	cache->pid = pid;
}
