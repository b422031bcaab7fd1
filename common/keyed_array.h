/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEYED_ARRAY_H
#define KT_COMMON_KEYED_ARRAY_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

/* Items with a hash index by key: their first fields, without holes between
 * them. Keys are unique.
 *
 * Open, so that loops can iterate over the items:
 * 	struct keyed_array sums = KEYED_ARRAY_OF(struct sum, tid);
 * 	struct sum *sum = keyed_array_add(&sums, &(struct sum){ .tid = 7 });
 */
struct keyed_array {
	struct array items; /* in the order of addition */
	size_t key_size;
	uint32_t *slots; /* open addressing: indexes in items, or NO_ITEM */
	size_t room;	 /* a power of two; at most half is used */
};

/* @last is the last field of the key, which consists of 4-byte words. */
#define KEYED_ARRAY_OF(type, last) \
	((struct keyed_array){ \
		.items = ARRAY_OF(type), \
		.key_size = offsetof(type, last) + \
			    sizeof(((const type *)NULL)->last), \
	})

/* Returns the item with the key of @like, after appending a copy of @like if
 * there is none; valid until the next item is added. NULL when out of memory.
 */
void *keyed_array_add(struct keyed_array *array, const void *like);

/* Returns the item with @key, or NULL. The items must not have been sorted. */
void *keyed_array_find(const struct keyed_array *array, const void *key);

/* Frees the items; the array is then empty and can be reused. */
void keyed_array_free(struct keyed_array *array);

#endif
