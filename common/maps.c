/* SPDX-License-Identifier: MIT */
#include "common/maps.h"

#include "common/array.h"
#include "common/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct number_slot {
	uint64_t key;
	uint64_t value;
	bool is_used;
};

enum { FIRST_ROOM = 64 };

void number_map_free(struct number_map *map)
{
	free(map->slots);
	*map = (struct number_map){ 0 };
}

void number_map_clear(struct number_map *map)
{
	if (map->count)
		memset(map->slots, 0, map->room * sizeof(*map->slots));
	map->count = 0;
}

/* Returns the slot at which the search for @key starts. Addresses differ in
 * their middle bits, ids in their low bits: both affect the upper half of the
 * product.
 */
static size_t home_of(const struct number_map *map, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       (map->room - 1);
}

/* Returns the key's slot, or the free slot for it. */
static struct number_slot *slot_of(const struct number_map *map, uint64_t key)
{
	size_t at = home_of(map, key);

	while (map->slots[at].is_used && map->slots[at].key != key)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

uint64_t *number_map_find(const struct number_map *map, uint64_t key)
{
	struct number_slot *slot = map->room ? slot_of(map, key) : NULL;

	return slot && slot->is_used ? &slot->value : NULL;
}

static bool grow(struct number_map *map)
{
	struct number_map wider = {
		.room = map->room ? map->room * 2 : FIRST_ROOM,
		.count = map->count,
	};

	wider.slots = calloc(wider.room, sizeof(*wider.slots));
	if (!wider.slots)
		return false;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].is_used)
			*slot_of(&wider, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = wider;
	return true;
}

uint64_t *number_map_add(struct number_map *map, uint64_t key)
{
	uint64_t *known = number_map_find(map, key);
	struct number_slot *slot;

	if (known)
		return known;
	if (map->count * 2 >= map->room && !grow(map))
		return NULL;
	slot = slot_of(map, key);
	*slot = (struct number_slot){ .key = key, .is_used = true };
	map->count++;
	return &slot->value;
}

/* Moves entries into the @hole, a slot that was just freed, if a search would
 * no longer find them: searches end at a free slot.
 */
static void close_hole(struct number_map *map, size_t hole)
{
	size_t mask = map->room - 1;

	for (size_t at = (hole + 1) & mask; map->slots[at].is_used;
	     at = (at + 1) & mask) {
		size_t home = home_of(map, map->slots[at].key);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		map->slots[hole] = map->slots[at];
		map->slots[at].is_used = false;
		hole = at;
	}
}

void number_map_remove(struct number_map *map, uint64_t key)
{
	struct number_slot *slot = map->room ? slot_of(map, key) : NULL;

	if (!slot || !slot->is_used)
		return;
	slot->is_used = false;
	map->count--;
	close_hole(map, (size_t)(slot - map->slots));
}

uint64_t number_map_lower(struct number_map *map, uint64_t key)
{
	uint64_t *count = number_map_find(map, key);
	uint64_t left = count && *count ? --*count : 0;

	if (count && !left)
		number_map_remove(map, key);
	return left;
}

size_t number_map_count(const struct number_map *map)
{
	return map->count;
}

uint64_t *number_map_next(const struct number_map *map, size_t *position)
{
	while (*position < map->room) {
		struct number_slot *slot = &map->slots[(*position)++];

		if (slot->is_used)
			return &slot->value;
	}
	return NULL;
}

void *number_map_pointer(const struct number_map *map, uint64_t key)
{
	const uint64_t *value = number_map_find(map, key);

	return value ? (void *)(uintptr_t)*value : NULL;
}

void *number_map_take_pointer(struct number_map *map, uint64_t key)
{
	void *pointer = number_map_pointer(map, key);

	number_map_remove(map, key);
	return pointer;
}

void *number_map_next_pointer(const struct number_map *map, size_t *position)
{
	const uint64_t *value = number_map_next(map, position);

	while (value && !*value)
		value = number_map_next(map, position);
	return value ? (void *)(uintptr_t)*value : NULL;
}

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

/* Returns the FNV-1a hash of @text, 64 bits. */
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

/* Rules are indexed by this many bytes. */
enum { FIRST_BYTES = 3 };

static uint8_t rule_slot_of(const char *name)
{
	uint32_t hash = 0;

	for (int i = 0; i < FIRST_BYTES; i++)
		hash = hash * 31 + (uint8_t)name[i];
	return (uint8_t)(hash ^ hash >> 8);
}

struct name_lookup name_lookup_of(const struct name_rule *list, size_t count)
{
	struct name_lookup rules = { .list = list };

	assert(count <= NAME_LOOKUP_MOST);
	/* From the end, so that the chains have the list's order. */
	for (size_t i = count; i-- > 0;) {
		uint8_t *first = &rules.first[rule_slot_of(list[i].name)];

		assert(strlen(list[i].name) >= FIRST_BYTES);
		rules.next[i] = *first;
		*first = (uint8_t)(i + 1);
	}
	return rules;
}

static bool fits(const struct name_rule *rule, const char *name, size_t length)
{
	size_t size = strlen(rule->name);

	return (rule->is_prefix ? length >= size : length == size) &&
	       !memcmp(rule->name, name, size);
}

const struct name_rule *name_lookup_find(const struct name_lookup *rules,
					 const char *name)
{
	for (int i = 0; i < FIRST_BYTES; i++)
		if (!name[i])
			return NULL;
	/* Most of a kernel's function names start with different bytes from any
	 * rule.
	 */
	if (!rules->first[rule_slot_of(name)])
		return NULL;
	return name_lookup_find_part(rules, name, strlen(name));
}

const struct name_rule *name_lookup_find_part(const struct name_lookup *rules,
					      const char *name, size_t length)
{
	if (length < FIRST_BYTES)
		return NULL;
	for (uint8_t i = rules->first[rule_slot_of(name)]; i;
	     i = rules->next[i - 1])
		if (fits(&rules->list[i - 1], name, length))
			return &rules->list[i - 1];
	return NULL;
}
