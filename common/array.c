/* SPDX-License-Identifier: MIT */
#include "common/array.h"

#include "common/error.h"
#include "common/large_memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for @count items or more. */
static int grow(struct array *array, size_t count)
{
	size_t room = array->room ? array->room : 8;

	do {
		if (room > SIZE_MAX / array->item_size / 2)
			return -1;
		room *= 2;
	} while (room < count);

	void *items = realloc(array->items, room * array->item_size);

	if (!items)
		return -1;
	array->items = items;
	array->room = room;
	return 0;
}

int array_reserve(struct array *array, size_t count)
{
	void *items;

	if (count <= array->room)
		return 0;
	if (count > SIZE_MAX / array->item_size)
		return -ERROR_MEMORY;
	items = large_memory_move(array->items, array->count * array->item_size,
				  count * array->item_size);
	if (!items)
		return -ERROR_MEMORY;
	array->items = items;
	array->room = count;
	return 0;
}

void *array_at(const struct array *array, size_t index)
{
	assert(index < array->count);
	return (char *)array->items + index * array->item_size;
}

void array_remove(struct array *array, size_t index, size_t count)
{
	char *items = array->items;
	size_t size = array->item_size;

	if (!count)
		return;
	array->count -= count;
	memmove(items + index * size, items + (index + count) * size,
		(array->count - index) * size);
}

/* Appends an uninitialized item; NULL when out of memory. */
static inline void *add_unset(struct array *array)
{
	if (array->count == array->room && grow(array, 0) < 0)
		return NULL;
	return (char *)array->items + array->count++ * array->item_size;
}

int array_append(struct array *array, const void *item)
{
	void *added = add_unset(array);

	if (!added)
		return -ERROR_MEMORY;
	memcpy(added, item, array->item_size);
	return 0;
}

void *array_add(struct array *array)
{
	void *added = add_unset(array);

	return added ? memset(added, 0, array->item_size) : NULL;
}

void *array_reach(struct array *array, size_t index)
{
	size_t count = array->count;

	if (index < count)
		return array_at(array, index);
	if (index >= array->room && grow(array, index + 1) < 0)
		return NULL;
	array->count = index + 1;
	memset(array_at(array, count), 0,
	       (array->count - count) * array->item_size);
	return array_at(array, index);
}

void *array_reach_like(struct array *array, size_t index, const void *like)
{
	while (array->count <= index)
		if (array_append(array, like) < 0)
			return NULL;
	return array_at(array, index);
}

/* Moves item @index before the greater items preceding it, if these are few.
 * Returns whether they are.
 */
static bool move_back(struct array *array, size_t index,
		      int (*compare)(const void *a, const void *b))
{
	enum { FEW = 8, LARGEST = 64 };
	char item[LARGEST];
	size_t size = array->item_size;
	size_t to = index;

	while (to &&
	       compare(array_at(array, to - 1), array_at(array, index)) > 0)
		if (index - --to > FEW)
			return false;
	if (to == index)
		return true;
	if (size > sizeof(item))
		return false;
	memcpy(item, array_at(array, index), size);
	memmove((char *)array_at(array, to) + size, array_at(array, to),
		(index - to) * size);
	memcpy(array_at(array, to), item, size);
	return true;
}

static void sort_from(struct array *array, size_t index,
		      int (*compare)(const void *a, const void *b))
{
	if (index < array->count)
		qsort(array_at(array, index), array->count - index,
		      array->item_size, compare);
}

/* Much data is in order or nearly so, such as the kernel's symbols followed by
 * those of modules; sorting it takes one pass instead of many.
 */
size_t array_sort_first(struct array *array,
			int (*compare)(const void *a, const void *b))
{
	size_t sorted = 0;

	while (sorted < array->count && move_back(array, sorted, compare))
		sorted++;
	return sorted;
}

void array_sort(struct array *array,
		int (*compare)(const void *a, const void *b))
{
	size_t sorted = array_sort_first(array, compare);

	sort_from(array, sorted, compare);
	if (sorted && sorted < array->count &&
	    compare(array_at(array, sorted - 1), array_at(array, sorted)) > 0)
		sort_from(array, 0, compare);
}

size_t array_partition_point(const struct array *array, const void *key,
			     bool (*is_before)(const void *item,
					       const void *key))
{
	size_t low = 0;
	size_t high = array->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(array_at(array, middle), key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void array_free(struct array *array)
{
	free(array->items);
	*array = (struct array){ .item_size = array->item_size };
}
