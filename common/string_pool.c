/* SPDX-License-Identifier: MIT */
#include "common/string_pool.h"
#include "common/arena.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

/* A text and its hash, which avoids most comparisons. */
struct pool_entry {
	const char *text;
	size_t length;
	uint64_t hash;
};

struct string_pool {
	struct arena *arena;
	struct array entries; /* struct pool_entry, by number */
	uint32_t *slots;      /* number + 1, 0 is free */
	size_t slot_count;    /* a power of two, over half free */
};

struct string_pool *string_pool_new(void)
{
	struct string_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->entries = ARRAY_OF(struct pool_entry);
	pool->slot_count = 256;
	pool->slots = calloc(pool->slot_count, sizeof(*pool->slots));
	pool->arena = arena_new();
	if (!pool->slots || !pool->arena)
		goto fail;
	return pool;

fail:
	string_pool_free(pool);
	return NULL;
}

void string_pool_free(struct string_pool *pool)
{
	if (!pool)
		return;
	array_free(&pool->entries);
	arena_free(pool->arena);
	free(pool->slots);
	free(pool);
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return hash;
}

/* Returns the slot of the text, or the free slot for it. */
static uint32_t *find_slot(const struct string_pool *pool, const char *text,
			   size_t length, uint64_t hash)
{
	size_t mask = pool->slot_count - 1;
	size_t at = hash & mask;

	for (; pool->slots[at]; at = (at + 1) & mask) {
		const struct pool_entry *entry =
			array_at(&pool->entries, pool->slots[at] - 1);

		if (entry->hash == hash && entry->length == length &&
		    !memcmp(entry->text, text, length))
			break;
	}
	return &pool->slots[at];
}

static int grow_slots(struct string_pool *pool)
{
	size_t count = pool->slot_count * 2;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -1;
	for (uint32_t i = 0; i < pool->entries.count; i++) {
		const struct pool_entry *entry = array_at(&pool->entries, i);
		size_t at = entry->hash & (count - 1);

		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = i + 1;
	}
	free(pool->slots);
	pool->slots = slots;
	pool->slot_count = count;
	return 0;
}

uint32_t string_pool_add(struct string_pool *pool, const char *text,
			 size_t length)
{
	if (pool->entries.count * 2 >= pool->slot_count && grow_slots(pool) < 0)
		return STRING_POOL_NONE;

	uint64_t hash = hash_of(text, length);
	uint32_t *slot = find_slot(pool, text, length, hash);

	if (*slot)
		return *slot - 1;

	const char *copy = arena_text(pool->arena, text, length);
	struct pool_entry *entry = copy ? array_add(&pool->entries) : NULL;

	if (!entry)
		return STRING_POOL_NONE;
	*entry = (struct pool_entry){ copy, length, hash };
	*slot = (uint32_t)pool->entries.count;
	return *slot - 1;
}

const char *string_pool_text(const struct string_pool *pool, uint32_t number)
{
	const struct pool_entry *entry = array_at(&pool->entries, number);

	return entry->text;
}

uint32_t string_pool_count(const struct string_pool *pool)
{
	return (uint32_t)pool->entries.count;
}
