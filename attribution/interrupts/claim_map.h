/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CLAIM_MAP_H
#define KT_ATTRIBUTION_CLAIM_MAP_H

#include "attribution/interrupts/claims.h"

#include <stdint.h>

/* For whom objects are, by address or another number.  It refers to the
 * claims it holds.
 */
struct claim_map;

/* Borrows @claims.  Returns NULL when out of memory. */
struct claim_map *claim_map_new(struct claims *claims);
void claim_map_free(struct claim_map *map);

/* Sets the claim of @key, in place of the one before. */
void claim_map_set(struct claim_map *map, uint64_t key, struct claim *claim);

/* Returns the claim of @key, borrowed, or NULL. */
struct claim *claim_map_find(const struct claim_map *map, uint64_t key);

/* Takes the claim of @key out: the reference is the caller's.  NULL if there
 * is none.
 */
struct claim *claim_map_take(struct claim_map *map, uint64_t key);

/* Forgets @key. */
void claim_map_remove(struct claim_map *map, uint64_t key);

#endif
