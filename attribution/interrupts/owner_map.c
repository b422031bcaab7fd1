/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/owner_map.h"

#include "common/number_map.h"

#include <stdlib.h>

/* The values are pointers to owners. */
struct owner_map {
	struct owners *owners;
	struct number_map *map;
};

static struct owner *to_owner(uint64_t value)
{
	return (struct owner *)(uintptr_t)value;
}

struct owner_map *owner_map_new(struct owners *owners)
{
	struct owner_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->owners = owners;
	map->map = number_map_new();
	if (map->map)
		return map;
	free(map);
	return NULL;
}

void owner_map_free(struct owner_map *map)
{
	size_t place = 0;
	uint64_t *value;

	if (!map)
		return;
	while ((value = number_map_next(map->map, &place)))
		owner_drop(map->owners, to_owner(*value));
	number_map_free(map->map);
	free(map);
}

void owner_map_set(struct owner_map *map, uint64_t key, struct owner *owner)
{
	uint64_t *value = number_map_add(map->map, key);
	struct owner *before;

	if (!value) {
		owners_fail(map->owners);
		return;
	}
	before = to_owner(*value);
	*value = (uintptr_t)owner_refer(owner);
	owner_drop(map->owners, before);
}

struct owner *owner_map_find(const struct owner_map *map, uint64_t key)
{
	const uint64_t *value = number_map_find(map->map, key);

	return value ? to_owner(*value) : NULL;
}

struct owner *owner_map_take(struct owner_map *map, uint64_t key)
{
	struct owner *owner = owner_map_find(map, key);

	number_map_remove(map->map, key);
	return owner;
}

void owner_map_remove(struct owner_map *map, uint64_t key)
{
	owner_drop(map->owners, owner_map_take(map, key));
}
