/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/owner_map.h"

void owner_map_free(struct owner_map *map)
{
	struct owner *owner;
	size_t place = 0;

	while ((owner = number_map_next_pointer(&map->held, &place)))
		owner_drop(map->owners, owner);
	number_map_free(&map->held);
}

void owner_map_set(struct owner_map *map, uint64_t key, struct owner *owner)
{
	uint64_t *value = number_map_add(&map->held, key);
	struct owner *before;

	if (!value) {
		owners_fail(map->owners);
		return;
	}
	before = (struct owner *)(uintptr_t)*value;
	*value = (uintptr_t)owner_refer(owner);
	owner_drop(map->owners, before);
}

struct owner *owner_map_find(const struct owner_map *map, uint64_t key)
{
	return number_map_pointer(&map->held, key);
}

struct owner *owner_map_take(struct owner_map *map, uint64_t key)
{
	return number_map_take_pointer(&map->held, key);
}

void owner_map_remove(struct owner_map *map, uint64_t key)
{
	owner_drop(map->owners, owner_map_take(map, key));
}
