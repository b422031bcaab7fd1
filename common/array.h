/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_ARRAY_H
#define KT_COMMON_ARRAY_H

/* Growing arrays in one block of memory: struct array, and struct keyed_array,
 * which finds its items by a key. Items are plain data: the array moves them
 * when it grows, and does nothing with them when they are removed.
 *
 * 1. Pointers to items are valid until the next addition. Indices stay valid.
 * 2. An addition that fails, when out of memory, leaves the array unchanged.
 * 3. A zeroed array with its item_size is empty, and does not have to be freed.
 */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of equal items, which may move when it grows.
 *
 * The struct is public, so that loops index it without a call:
 *	struct array names = ARRAY_OF(struct name);
 *	struct name *name = array_add(&names);
 *	const struct name *first = array_at(&names, 0);
 */
struct array {
	void *items;
	size_t count;
	size_t room;
	size_t item_size;
};

#define ARRAY_OF(type) ((struct array){ .item_size = sizeof(type) })

/* Appends one zeroed item.
 *
 * Owner: the array. Returns NULL when out of memory; the array is then
 * unchanged.
 */
void *array_add(struct array *array);

/* Appends a copy of @item, which must not be an item of @array. Returns 0 or
 * -ERROR_MEMORY.
 */
int array_append(struct array *array, const void *item);

/* Reserves room for @count items in total, an estimate of later additions, so
 * that a large array is allocated once, in large pages. Returns 0 or
 * -ERROR_MEMORY.
 */
int array_reserve(struct array *array, size_t count);

/* array_reach() for an item that does not exist yet. */
void *array_reach_new(struct array *array, size_t index);

/* Returns item @index, after appending zeroed items up to it if it does not
 * exist yet; NULL when out of memory.
 */
static inline void *array_reach(struct array *array, size_t index)
{
	return index < array->count ?
		       (char *)array->items + index * array->item_size :
		       array_reach_new(array, index);
}

/* Like array_reach(), but appends copies of @like instead of zeroed items. */
void *array_reach_like(struct array *array, size_t index, const void *like);

/* Returns item @index, which must be below array->count. */
static inline void *array_at(const struct array *array, size_t index)
{
	assert(index < array->count);
	return (char *)array->items + index * array->item_size;
}

/* Removes @count items from @index on, which must exist; moves the items after
 * them to @index.
 */
void array_remove(struct array *array, size_t index, size_t count);

/* Sorts with @compare, like qsort(3). */
void array_sort(struct array *array,
		int (*compare)(const void *a, const void *b));

/* A member that items are sorted by, of type int32_t, int64_t or an unsigned
 * type.
 */
struct sort_key {
	uint32_t offset;
	uint8_t size; /* 0: ends a list of keys */
	bool is_signed;
	bool falls; /* the greatest value first */
};

/* Keys of items of @type. KEYS() is a list of them: later ones order the items
 * that are equal by all earlier ones.
 */
#define RISING(type, member) SORT_KEY(type, member, false)
#define FALLING(type, member) SORT_KEY(type, member, true)
#define SORT_KEY(type, member, falls_) \
	{ \
		.offset = offsetof(type, member), \
		.size = sizeof(((const type *)NULL)->member), \
		.is_signed = IS_SIGNED(((const type *)NULL)->member), \
		.falls = (falls_), \
	}
#define IS_SIGNED(value) \
	_Generic((value), int32_t : true, int64_t : true, default : false)
#define KEYS(...) ((const struct sort_key[]){ __VA_ARGS__, { .size = 0 } })

/* The key of items that are numbers of @type themselves. */
#define RISING_NUMBER(type) \
	{ \
		.size = sizeof(type), .is_signed = IS_SIGNED((type)0), \
	}

/* Sorts by @keys, as in
 *	array_sort_by(&tasks, KEYS(RISING(struct task, pid),
 *				   FALLING(struct task, total_ns)));
 */
void array_sort_by(struct array *array, const struct sort_key *keys);

/* Returns how many items precede @key: those for which @is_before returns true,
 * which must come first.
 */
size_t array_partition_point(const struct array *array, const void *key,
			     bool (*is_before)(const void *item,
					       const void *key));

/* Return how many items of @array, sorted by the first of @keys, have a value
 * of that key below @value, or at most @value; a negative value is passed as
 * the uint64_t with its bits.
 */
size_t array_count_below(const struct array *array, const struct sort_key *keys,
			 uint64_t value);
size_t array_count_up_to(const struct array *array, const struct sort_key *keys,
			 uint64_t value);

/* Frees the items; the array is then empty and can be reused. */
void array_free(struct array *array);

/* Items with a hash index by key. The key is the first fields of an item,
 * without holes between them, and is unique.
 *
 * The struct is public, so that loops can iterate over the items: struct
 * keyed_array sums = KEYED_ARRAY_OF(struct sum, tid); struct sum *sum =
 * keyed_array_add(&sums, &(struct sum){ .tid = 7 });
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

/* Sorts the items of @array by their first field, a uint64_t; stable. The
 * number of passes does not depend on the number of items: one pass if they are
 * in order or nearly so, else one pass for each 11 bits in which the numbers
 * differ.
 *
 * Returns 0, or -ERROR_MEMORY with the items in undefined order.
 */
int number_sort(struct array *array);

#endif
