/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claim_map.h"

#include "common/number_map.h"

#include <stdlib.h>

/* The values are pointers to claims. */
struct claim_map {
	struct claims *claims;
	struct number_map *map;
};

static struct claim *to_claim(uint64_t value)
{
	return (struct claim *)(uintptr_t)value;
}

struct claim_map *claim_map_new(struct claims *claims)
{
	struct claim_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->claims = claims;
	map->map = number_map_new();
	if (map->map)
		return map;
	free(map);
	return NULL;
}

void claim_map_free(struct claim_map *map)
{
	size_t place = 0;
	uint64_t *value;

	if (!map)
		return;
	while ((value = number_map_next(map->map, &place)))
		claim_drop(map->claims, to_claim(*value));
	number_map_free(map->map);
	free(map);
}

void claim_map_set(struct claim_map *map, uint64_t key, struct claim *claim)
{
	uint64_t *value = number_map_add(map->map, key);
	struct claim *before;

	if (!value) {
		claims_fail(map->claims);
		return;
	}
	before = to_claim(*value);
	*value = (uintptr_t)claim_refer(claim);
	claim_drop(map->claims, before);
}

struct claim *claim_map_find(const struct claim_map *map, uint64_t key)
{
	const uint64_t *value = number_map_find(map->map, key);

	return value ? to_claim(*value) : NULL;
}

struct claim *claim_map_take(struct claim_map *map, uint64_t key)
{
	struct claim *claim = claim_map_find(map, key);

	number_map_remove(map->map, key);
	return claim;
}

void claim_map_remove(struct claim_map *map, uint64_t key)
{
	claim_drop(map->claims, claim_map_take(map, key));
}
