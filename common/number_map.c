/* SPDX-License-Identifier: MIT */
#include "common/number_map.h"

#include <stdbool.h>
#include <stdlib.h>

struct slot {
	uint64_t key;
	uint64_t value;
	bool is_used;
};

/* Open addressing; at most half of the slots are used. */
struct number_map {
	struct slot *slots;
	size_t room; /* a power of two */
	size_t count;
};

enum { FIRST_ROOM = 64 };

struct number_map *number_map_new(void)
{
	struct number_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->room = FIRST_ROOM;
	map->slots = calloc(map->room, sizeof(*map->slots));
	if (!map->slots) {
		number_map_free(map);
		return NULL;
	}
	return map;
}

void number_map_free(struct number_map *map)
{
	if (!map)
		return;
	free(map->slots);
	free(map);
}

/* Addresses differ in their middle bits, ids in their low ones: the product
 * has all of them at its top.
 */
static size_t home_of(const struct number_map *map, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       (map->room - 1);
}

/* Returns the key's slot, or the free one where it would go. */
static struct slot *slot_of(const struct number_map *map, uint64_t key)
{
	size_t at = home_of(map, key);

	while (map->slots[at].is_used && map->slots[at].key != key)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

uint64_t *number_map_find(const struct number_map *map, uint64_t key)
{
	struct slot *slot = slot_of(map, key);

	return slot->is_used ? &slot->value : NULL;
}

static bool grow(struct number_map *map)
{
	struct number_map wider = {
		.room = map->room * 2,
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
	struct slot *slot = slot_of(map, key);

	if (slot->is_used)
		return &slot->value;
	if (map->count * 2 >= map->room) {
		if (!grow(map))
			return NULL;
		slot = slot_of(map, key);
	}
	*slot = (struct slot){ .key = key, .is_used = true };
	map->count++;
	return &slot->value;
}

/* Those behind a hole would not be found any more: they move up. */
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
	struct slot *slot = slot_of(map, key);

	if (!slot->is_used)
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
		struct slot *slot = &map->slots[(*place)++];

		if (slot->is_used)
			return &slot->value;
	}
	return NULL;
}
