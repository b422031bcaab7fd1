/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_ARRAY_H
#define KT_COMMON_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* A growing array of equal items, which may move when it grows.
 *
 * Open, so that loops index it without a call:
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
 * Owner: the array.  Returns NULL when out of memory; the array is then as
 * it was.
 */
void *array_add(struct array *array);

/* Appends a copy of @item, which is no item of @array.  Returns 0 or -ERROR_MEMORY. */
int array_append(struct array *array, const void *item);

/* Makes room for @count items in all, about as many as will be added: large arrays
 * are spared growing, and fetching small pages.  Returns 0, or -ERROR_MEMORY.
 */
int array_reserve(struct array *array, size_t count);

/* Returns item @index, after appending zeroed ones up to it if it is not there
 * yet; NULL when out of memory.
 */
void *array_reach(struct array *array, size_t index);

/* The same with copies of @like in place of zeroed ones. */
void *array_reach_like(struct array *array, size_t index, const void *like);

/* Returns item @index, which must be below array->count. */
void *array_at(const struct array *array, size_t index);

/* Takes out @count items from @index on, which must be there: those behind them
 * move there.
 */
void array_remove(struct array *array, size_t index, size_t count);

/* Sorts by qsort's rules. */
void array_sort(struct array *array,
		int (*compare)(const void *a, const void *b));

/* Puts the first items in order, as many as come so or nearly so, equal ones as they
 * came.  Returns how many these are.
 */
size_t array_sort_first(struct array *array,
			int (*compare)(const void *a, const void *b));

/* Returns how many items come before @key: those for which @is_before, which
 * must be the first ones.
 */
size_t array_partition_point(const struct array *array, const void *key,
			     bool (*is_before)(const void *item,
					       const void *key));

/* Frees the items; the array is empty then and may be used again. */
void array_free(struct array *array);

#endif
