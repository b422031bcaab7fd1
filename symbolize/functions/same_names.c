/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/same_names.h"

#include "common/array.h"
#include "common/error.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

/* One of several functions with one name. */
struct namesake {
	const char *base; /* the same pointer for all of the name */
	uint64_t address;
	uint32_t function;
};

static int compare(const void *a, const void *b)
{
	const struct namesake *x = a;
	const struct namesake *y = b;

	if (x->base != y->base)
		return (uintptr_t)x->base < (uintptr_t)y->base ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static bool is_before(const void *namesake, const void *key)
{
	return compare(namesake, key) < 0;
}

static int list(const struct function_table *functions, struct array *namesakes)
{
	size_t count;
	const uint32_t *numbers = function_table_doubles(functions, &count);

	for (size_t i = 0; i < count; i++) {
		const struct function *function =
			function_at(functions, numbers[i]);
		struct namesake *namesake = array_add(namesakes);

		if (!namesake)
			return -ERROR_MEMORY;
		*namesake = (struct namesake){
			.base = function->base,
			.address = function->address,
			.function = numbers[i],
		};
	}
	array_sort(namesakes, compare);
	return 0;
}

/* Returns the first namesake of @number at or after @address, else the last one
 * before it.
 */
static uint32_t namesake_from(const struct function_table *functions,
			      const struct array *namesakes, uint32_t number,
			      uint64_t address)
{
	const char *base = function_at(functions, number)->base;
	const struct namesake key = { .base = base, .address = address };
	const struct namesake *all = namesakes->items;
	size_t at = array_partition_point(namesakes, &key, is_before);

	if (at < namesakes->count && all[at].base == base)
		return all[at].function;
	return at && all[at - 1].base == base ? all[at - 1].function : number;
}

/* Linkers order the files' cold parts like the files and thus like the
 * functions, and compilers do so within one file: a cold part belongs to the
 * function of its name that follows the function of the previous part. Padding
 * is followed by its function.
 */
static void assign(const struct function_table *functions,
		   const struct array *namesakes, struct address_map *map)
{
	size_t count;
	struct symbol *symbols = address_map_symbols(map, &count);
	uint64_t before = 0;

	for (size_t i = 0; i < count; i++) {
		struct symbol *symbol = &symbols[i];

		if (!symbol->is_cold && !symbol->padding)
			continue;
		if (function_at(functions, symbol->function)->is_double)
			symbol->function = namesake_from(
				functions, namesakes, symbol->function,
				symbol->padding ? symbol->end : before);
		if (symbol->is_cold)
			before = function_at(functions, symbol->function)
					 ->address;
	}
}

int same_names_tell_apart(struct function_table *functions,
			  struct address_map *map)
{
	struct array namesakes = ARRAY_OF(struct namesake);
	int status = list(functions, &namesakes);

	if (!status && namesakes.count) {
		assign(functions, &namesakes, map);
		status = function_table_name_doubles(functions);
	}
	array_free(&namesakes);
	return status;
}
