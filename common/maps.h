/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_MAPS_H
#define KT_COMMON_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lookup by key, for three kinds of keys:
 *
 *	number_map	a number: thread id, address. Values are numbers or
 *			pointers; the map does not own the objects.
 *	string_pool	a text, to a small number that arrays are indexed with.
 *			The pool owns a copy of each text and never forgets one.
 *	name_lookup	a name, to the first rule of a short list that matches.
 *
 * For items whose key is more than one number there is struct keyed_array
 * (common/array.h). None of them locks: either one thread changes a map, or
 * several threads read it.
 */

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

/* Removes all keys, and keeps the slots. */
void number_map_clear(struct number_map *map);

/* Returns the value of @key, or NULL if it has none; valid until the map is
 * changed.
 */
uint64_t *number_map_find(const struct number_map *map, uint64_t key);

/* Returns the value of @key, which is 0 if it was just added; NULL when out of
 * memory.
 */
uint64_t *number_map_add(struct number_map *map, uint64_t key);

/* Decrements the value of @key and returns the new value; removes @key when it
 * becomes 0. Returns 0 if @key is not in the map.
 */
uint64_t number_map_lower(struct number_map *map, uint64_t key);

/* Removes @key, if present. */
void number_map_remove(struct number_map *map, uint64_t key);

size_t number_map_count(const struct number_map *map);

/* Returns a value and advances the iterator *@position, 0 at first; NULL after
 * the last. The order is undefined; valid until the map is changed.
 */
uint64_t *number_map_next(const struct number_map *map, size_t *position);

/* Variants for maps whose values are pointers, stored as uintptr_t; 0 is NULL.
 * number_map_pointer() returns the pointer of @key, or NULL;
 * number_map_take_pointer() also removes @key; number_map_next_pointer()
 * returns the next pointer that is not NULL.
 */
void *number_map_pointer(const struct number_map *map, uint64_t key);

void *number_map_take_pointer(struct number_map *map, uint64_t key);

void *number_map_next_pointer(const struct number_map *map, size_t *position);

/* Maps names to numbers: equal texts get equal numbers, counted from 0. */
struct string_pool;

/* Returns an empty pool; NULL when out of memory. */
struct string_pool *string_pool_new(void);

void string_pool_free(struct string_pool *pool);

/* Returned in place of a number when out of memory. */
#define STRING_POOL_NONE UINT32_MAX

/* Returns the number of the @length bytes at @text (no NUL needed), adding
 * them if they are new; STRING_POOL_NONE when out of memory.
 */
uint32_t string_pool_add(struct string_pool *pool, const char *text,
			 size_t length);

/* Returns the text of @number, which the pool assigned. Owner: the pool. */
const char *string_pool_text(const struct string_pool *pool, uint32_t number);

/* Returns how many different texts there are. */
uint32_t string_pool_count(const struct string_pool *pool);

/* A value for functions of this name, or for those that start with it. */
struct name_rule {
	const char *name; /* three bytes or more */
	bool is_prefix;
	uint8_t value; /* defined by the list's owner */
};

enum { NAME_LOOKUP_MOST = 128, NAME_LOOKUP_SLOTS = 256 };

/* A list of rules, indexed by the first bytes of names: a kernel has more than
 * a hundred thousand functions, and most match no rule.
 */
struct name_lookup {
	const struct name_rule *list; /* borrowed */
	/* for each hash of a name's first bytes, the first rule: its index in
	 * the list plus 1; 0: none
	 */
	uint8_t first[NAME_LOOKUP_SLOTS];
	/* for each rule, the next rule with the same hash, also as its index
	 * plus 1
	 */
	uint8_t next[NAME_LOOKUP_MOST];
};

/* Indexes the @count rules at @list, at most NAME_LOOKUP_MOST. */
struct name_lookup name_lookup_of(const struct name_rule *list, size_t count);

/* Returns the first rule of the list that matches @name, or NULL. */
const struct name_rule *name_lookup_find(const struct name_lookup *rules,
					 const char *name);

/* Like name_lookup_find(), for a name of @length bytes without a NUL. */
const struct name_rule *name_lookup_find_part(const struct name_lookup *rules,
					      const char *name, size_t length);

#endif
