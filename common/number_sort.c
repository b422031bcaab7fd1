/* SPDX-License-Identifier: MIT */
#include "common/number_sort.h"

#include "common/error.h"
#include "common/large_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns the bits in which any number differs from the first. */
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
	size_t places[DIGITS] = { 0 };
	size_t place = 0;

	for (size_t i = 0; i < array->count; i++)
		places[digit_at(from + i * size, shift)] += size;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t bytes = places[i];

		places[i] = place;
		place += bytes;
	}
	for (size_t i = 0; i < array->count; i++, from += size) {
		size_t *at = &places[digit_at(from, shift)];

		memcpy(to + *at, from, size);
		*at += size;
	}
}

/* Sorts in passes, by the lowest digit first. */
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

	first.count = array_sort_first(array, compare_numbers);
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
