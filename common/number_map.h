/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NUMBER_MAP_H
#define KT_COMMON_NUMBER_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Values by number: by thread id, by the address of an object.  Of the
 * numbers themselves nothing is expected.
 */
struct number_map;

/* Returns NULL when out of memory. */
struct number_map *number_map_new(void);
void number_map_free(struct number_map *map);

/* Returns the value of @key, or NULL if it has none; valid until the map is
 * changed.
 */
uint64_t *number_map_find(const struct number_map *map, uint64_t key);

/* Returns the value of @key, which is 0 if it had none so far; NULL when out
 * of memory.
 */
uint64_t *number_map_add(struct number_map *map, uint64_t key);

/* Counts one less for @key, which is forgotten at 0.  Returns what is left. */
uint64_t number_map_lower(struct number_map *map, uint64_t key);

/* Forgets @key, if it is there. */
void number_map_remove(struct number_map *map, uint64_t key);

size_t number_map_count(const struct number_map *map);

/* Returns a value and moves *@place, 0 at first, behind it; NULL after the
 * last.  In no order; valid until the map is changed.
 */
uint64_t *number_map_next(const struct number_map *map, size_t *place);

#endif
