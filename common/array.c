/* SPDX-License-Identifier: MIT */
#include "common/array.h"

#include "common/error.h"
#include "common/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Size of the first allocation of an array of small items. Many arrays have one
 * or two items.
 */
enum { FIRST_BYTES = 128 };

/* At least doubles the room, until @count items fit. Returns 0 or -1. */
static int grow(struct array *array, size_t count)
{
	size_t room = array->room ? 2 * array->room :
				    FIRST_BYTES / array->item_size + 1;

	while (room < count && room <= SIZE_MAX / 2)
		room *= 2;
	if (room < count || room > SIZE_MAX / array->item_size)
		return -1;

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

void array_remove(struct array *array, size_t index, size_t count)
{
	char *items = array->items;
	size_t size = array->item_size;

	assert(index + count <= array->count);
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

void *array_reach_new(struct array *array, size_t index)
{
	size_t count = array->count;

	if (index == SIZE_MAX ||
	    (index >= array->room && grow(array, index + 1) < 0))
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

#define SIGN (UINT64_C(1) << 63)

/* How items are sorted: by a function or, if that is NULL, by keys. */
struct order {
	int (*compare)(const void *a, const void *b);
	const struct sort_key *keys;
};

/* Returns the value of @key in @item as an unsigned number that orders items as
 * the key does: smaller first, also for falling keys.
 */
static uint64_t key_value(const char *item, const struct sort_key *key)
{
	const char *at = item + key->offset;
	uint64_t value;

	switch (key->size) {
	case sizeof(uint8_t):
		value = *(const uint8_t *)at;
		break;
	case sizeof(uint16_t):
		value = *(const uint16_t *)at;
		break;
	case sizeof(uint32_t):
		value = key->is_signed ?
				(uint64_t)(int64_t) * (const int32_t *)at :
				*(const uint32_t *)at;
		break;
	default:
		value = *(const uint64_t *)at;
		break;
	}
	if (key->is_signed)
		value ^= SIGN;
	return key->falls ? ~value : value;
}

static int compare_by(const void *a, const void *b, void *ctx)
{
	const struct order *order = ctx;

	if (order->compare)
		return order->compare(a, b);
	for (const struct sort_key *key = order->keys; key->size; key++) {
		uint64_t left = key_value(a, key);
		uint64_t right = key_value(b, key);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return 0;
}

/* Moves item @index down before the greater items that precede it. Returns
 * false, and moves nothing, if there are more than FEW of them or the item has
 * more than LARGEST bytes.
 */
static bool move_back(struct array *array, size_t index, struct order *order)
{
	enum { FEW = 8, LARGEST = 64 };
	char item[LARGEST];
	size_t size = array->item_size;
	size_t to = index;

	while (to && compare_by(array_at(array, to - 1), array_at(array, index),
				order) > 0)
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

static void sort_from(struct array *array, size_t index, struct order *order)
{
	if (index < array->count)
		qsort_r(array_at(array, index), array->count - index,
			array->item_size, compare_by, order);
}

/* Sorts, stably, the longest prefix whose items are in order or nearly so.
 * Returns its length. Much data is nearly sorted, such as the kernel's symbols
 * followed by those of modules; this takes one pass over it instead of many.
 */
static size_t array_sort_first(struct array *array, struct order *order)
{
	size_t sorted = 0;

	while (sorted < array->count && move_back(array, sorted, order))
		sorted++;
	return sorted;
}

static void sort(struct array *array, struct order *order)
{
	size_t sorted = array_sort_first(array, order);

	sort_from(array, sorted, order);
	if (sorted && sorted < array->count &&
	    compare_by(array_at(array, sorted - 1), array_at(array, sorted),
		       order) > 0)
		sort_from(array, 0, order);
}

void array_sort(struct array *array,
		int (*compare)(const void *a, const void *b))
{
	sort(array, &(struct order){ .compare = compare });
}

void array_sort_by(struct array *array, const struct sort_key *keys)
{
	sort(array, &(struct order){ .keys = keys });
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

/* Returns how many items have a value of @key below @value, or equal to it if
 * @with_equal.
 */
static size_t count_before(const struct array *array,
			   const struct sort_key *key, uint64_t value,
			   bool with_equal)
{
	size_t low = 0;
	size_t high = array->count;

	assert(!key->falls);
	if (key->is_signed)
		value ^= SIGN;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t at = key_value(array_at(array, middle), key);

		if (at < value || (with_equal && at == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t array_count_below(const struct array *array, const struct sort_key *keys,
			 uint64_t value)
{
	return count_before(array, keys, value, false);
}

size_t array_count_up_to(const struct array *array, const struct sort_key *keys,
			 uint64_t value)
{
	return count_before(array, keys, value, true);
}

void array_free(struct array *array)
{
	free(array->items);
	*array = (struct array){ .item_size = array->item_size };
}

#define NO_ITEM UINT32_MAX

enum { FIRST_ROOM = 64 };

static uint64_t hash_of(const struct keyed_array *array, const void *key)
{
	uint64_t hash = 0;
	uint32_t word;

	for (size_t at = 0; at < array->key_size; at += sizeof(word)) {
		memcpy(&word, (const char *)key + at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

static bool is_at(const struct keyed_array *array, uint32_t index,
		  const void *key)
{
	return !memcmp(array_at(&array->items, index), key, array->key_size);
}

/* Returns the slot of the item with @key, or the free slot for it. */
static uint32_t *slot_of(const struct keyed_array *array, const void *key)
{
	size_t mask = array->room - 1;
	size_t at = (size_t)hash_of(array, key) & mask;

	while (array->slots[at] != NO_ITEM &&
	       !is_at(array, array->slots[at], key))
		at = (at + 1) & mask;
	return &array->slots[at];
}

static bool keyed_array_grow(struct keyed_array *array)
{
	size_t room = array->room ? array->room * 2 : FIRST_ROOM;
	uint32_t *slots = malloc(room * sizeof(*slots));

	if (!slots)
		return false;
	memset(slots, 0xff, room * sizeof(*slots));
	free(array->slots);
	array->slots = slots;
	array->room = room;
	for (size_t i = 0; i < array->items.count; i++)
		*slot_of(array, array_at(&array->items, i)) = (uint32_t)i;
	return true;
}

void *keyed_array_find(const struct keyed_array *array, const void *key)
{
	uint32_t index = array->room ? *slot_of(array, key) : NO_ITEM;

	return index == NO_ITEM ? NULL : array_at(&array->items, index);
}

void *keyed_array_add(struct keyed_array *array, const void *like)
{
	uint32_t *slot;
	void *item;

	assert(!(array->key_size % sizeof(uint32_t)));
	if (array->items.count * 2 >= array->room && !keyed_array_grow(array))
		return NULL;
	slot = slot_of(array, like);
	if (*slot != NO_ITEM)
		return array_at(&array->items, *slot);
	item = array_add(&array->items);
	if (!item)
		return NULL;
	memcpy(item, like, array->items.item_size);
	*slot = (uint32_t)array->items.count - 1;
	return item;
}

void keyed_array_free(struct keyed_array *array)
{
	array_free(&array->items);
	free(array->slots);
	array->slots = NULL;
	array->room = 0;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static uint64_t number_at(const char *item)
{
	uint64_t number;

	memcpy(&number, item, sizeof(number));
	return number;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = number_at(a);
	uint64_t y = number_at(b);

	return x < y ? -1 : x > y;
}

/* Returns the bits where any number differs from the first. */
static uint64_t find_bits(const struct array *array)
{
	const char *item = array->items;
	uint64_t first = number_at(item);
	uint64_t bits = 0;

	for (size_t i = 0; i < array->count; i++, item += array->item_size)
		bits |= number_at(item) ^ first;
	return bits;
}

static size_t digit_at(const char *item, unsigned int shift)
{
	return number_at(item) >> shift & (DIGITS - 1);
}

/* Copies @from's items to @to, ordered by their digit at @shift. */
static void scatter(const struct array *array, const char *from, char *to,
		    unsigned int shift)
{
	size_t size = array->item_size;
	size_t positions[DIGITS] = { 0 };
	size_t position = 0;

	for (size_t i = 0; i < array->count; i++)
		positions[digit_at(from + i * size, shift)] += size;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t bytes = positions[i];

		positions[i] = position;
		position += bytes;
	}
	for (size_t i = 0; i < array->count; i++, from += size) {
		size_t *at = &positions[digit_at(from, shift)];

		memcpy(to + *at, from, size);
		*at += size;
	}
}

/* Radix sort: a stable pass for each digit in which numbers differ, lowest
 * digit first.
 */
static int sort_in_passes(const struct array *array)
{
	uint64_t bits = find_bits(array);
	size_t bytes = array->count * array->item_size;
	char *from = array->items;
	char *to = large_memory_new(bytes);
	char *spare = to;

	if (!to)
		return -ERROR_MEMORY;
	for (unsigned int shift = 0; bits; shift += DIGIT_BITS) {
		if (bits & (DIGITS - 1)) {
			char *sorted = to;

			scatter(array, from, to, shift);
			to = from;
			from = sorted;
		}
		bits >>= DIGIT_BITS;
	}
	if (from != array->items)
		memcpy(array->items, from, bytes);
	free(spare);
	return 0;
}

/* Returns the items of @array from @index on. */
static struct array items_from(const struct array *array, size_t index)
{
	struct array items = *array;

	items.items = (char *)array->items + index * array->item_size;
	items.count -= index;
	return items;
}

static bool is_not_above(const void *item, const void *number)
{
	return number_at(item) <= number_at(number);
}

int number_sort(struct array *array)
{
	struct array first = *array;
	struct array rest;
	size_t below;
	int error;

	first.count = array_sort_first(
		array, &(struct order){ .compare = compare_numbers });
	if (first.count == array->count)
		return 0;
	rest = items_from(array, first.count);
	error = sort_in_passes(&rest);
	if (error)
		return error;
	below = array_partition_point(&first, rest.items, is_not_above);
	if (below == first.count)
		return 0;
	rest = items_from(array, below);
	return sort_in_passes(&rest);
}
