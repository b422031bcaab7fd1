/* SPDX-License-Identifier: MIT */
#include "common/number_map.h"

#include <stdbool.h>
#include <stdlib.h>

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

/* Addresses differ in their middle bits, ids in their low bits: in the product
 * all of them affect the top bits.
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

/* Entries after a hole could no longer be found, so they move up. */
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

uint64_t *number_map_next(const struct number_map *map, size_t *place)
{
	while (*place < map->room) {
		struct number_slot *slot = &map->slots[(*place)++];

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

void *number_map_next_pointer(const struct number_map *map, size_t *place)
{
	const uint64_t *value = number_map_next(map, place);

	while (value && !*value)
		value = number_map_next(map, place);
	return value ? (void *)(uintptr_t)*value : NULL;
}
