/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OWNER_MAP_H
#define KT_ATTRIBUTION_OWNER_MAP_H

#include "attribution/interrupts/owners.h"
#include "common/number_map.h"

#include <stdint.h>

/* For whom objects are, by address or another number.  It refers to the
 * owners it holds.
 */
struct owner_map {
	struct owners *owners;	/* borrowed */
	struct number_map held; /* struct owner * */
};

#define OWNER_MAP_OF(of) ((struct owner_map){ .owners = (of) })

void owner_map_free(struct owner_map *map);

/* Sets the owner of @key, in place of the one before. */
void owner_map_set(struct owner_map *map, uint64_t key, struct owner *owner);

/* Returns the owner of @key, borrowed, or NULL. */
struct owner *owner_map_find(const struct owner_map *map, uint64_t key);

/* Takes the owner of @key out: the reference is the caller's.  NULL if there
 * is none.
 */
struct owner *owner_map_take(struct owner_map *map, uint64_t key);

/* Forgets @key. */
void owner_map_remove(struct owner_map *map, uint64_t key);

#endif
