/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OWNER_MAP_H
#define KT_ATTRIBUTION_OWNER_MAP_H

#include "attribution/interrupts/owners.h"
#include "common/maps.h"

#include <stdint.h>

/* Owners of objects, by address or another number. The map holds a reference to
 * each owner.
 */
struct owner_map {
	struct owners *owners;	/* borrowed */
	struct number_map held; /* struct owner * */
};

#define OWNER_MAP_OF(of) ((struct owner_map){ .owners = (of) })

void owner_map_free(struct owner_map *map);

/* Sets the owner of @key, replacing any previous one. */
void owner_map_set(struct owner_map *map, uint64_t key, struct owner *owner);

/* Returns the owner of @key, borrowed, or NULL. */
struct owner *owner_map_find(const struct owner_map *map, uint64_t key);

/* Removes and returns the owner of @key; the caller owns the reference. NULL if
 * there is none.
 */
struct owner *owner_map_take(struct owner_map *map, uint64_t key);

/* Removes @key. */
void owner_map_remove(struct owner_map *map, uint64_t key);

#endif
