/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NUMBER_MAP_H
#define KT_COMMON_NUMBER_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Values by number: by thread id, by the address of an object.  Of the
 * numbers themselves nothing is expected.  A zeroed one is empty.
 */
struct number_map {
	struct number_slot *slots; /* open addressing; at most half are used */
	size_t room;		   /* a power of two, or 0 */
	size_t count;
};

/* Frees the values' places; the map is empty then and may be used again. */
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

/* The same where values are pointers, as uintptr_t, 0: NULL.  Return what @key has,
 * or NULL; the same, and forget @key; the next one that is not NULL.
 */
void *number_map_pointer(const struct number_map *map, uint64_t key);
void *number_map_take_pointer(struct number_map *map, uint64_t key);
void *number_map_next_pointer(const struct number_map *map, size_t *place);

#endif
