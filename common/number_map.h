/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NUMBER_MAP_H
#define KT_COMMON_NUMBER_MAP_H

#include <stddef.h>
#include <stdint.h>

/* A hash map with numbers as keys, such as thread ids or the addresses of
 * objects. The distribution of keys does not matter. A zeroed map is empty.
 */
struct number_map {
	struct number_slot *slots; /* open addressing; at most half are used */
	size_t room;		   /* a power of two, or 0 */
	size_t count;
};

/* Frees the slots; the map is then empty and can be reused. */
void number_map_free(struct number_map *map);

/* Returns the value of @key, or NULL if it has none; valid until the map is
 * changed.
 */
uint64_t *number_map_find(const struct number_map *map, uint64_t key);

/* Returns the value of @key, which is 0 if it was just added; NULL when out of
 * memory.
 */
uint64_t *number_map_add(struct number_map *map, uint64_t key);

/* Decrements the value of @key, and removes @key at 0. Returns the new value.
 */
uint64_t number_map_lower(struct number_map *map, uint64_t key);

/* Removes @key, if present. */
void number_map_remove(struct number_map *map, uint64_t key);

size_t number_map_count(const struct number_map *map);

/* Returns a value and advances the iterator *@place, 0 at first; NULL after the
 * last. The order is undefined; valid until the map is changed.
 */
uint64_t *number_map_next(const struct number_map *map, size_t *place);

/* Variants for values that are pointers, as uintptr_t, 0: NULL.
 * number_map_pointer() returns the pointer of @key, or NULL;
 * number_map_take_pointer() also removes @key; the third returns the next
 * pointer that is not NULL.
 */
void *number_map_pointer(const struct number_map *map, uint64_t key);
void *number_map_take_pointer(struct number_map *map, uint64_t key);
void *number_map_next_pointer(const struct number_map *map, size_t *place);

#endif
