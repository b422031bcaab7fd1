/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/address_map.h"

#include "common/array.h"
#include "common/error.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

struct mark {
	struct symbol symbol; /* its end is 0 if the size is unknown */
	uint32_t rank;	      /* 0: a stop */
};

struct address_map {
	/* struct mark; empty after address_map_finish() */
	struct array marks;
	struct array symbols; /* struct symbol, without gaps */
	bool is_borrowed;     /* the symbols are the caller's */
};

struct address_map *address_map_new(void)
{
	struct address_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->marks = ARRAY_OF(struct mark);
	map->symbols = ARRAY_OF(struct symbol);
	return map;
}

void address_map_free(struct address_map *map)
{
	if (!map)
		return;
	array_free(&map->marks);
	if (!map->is_borrowed)
		array_free(&map->symbols);
	free(map);
}

int address_map_reserve(struct address_map *map, size_t count)
{
	return array_reserve(&map->marks, count);
}

static int add_mark(struct address_map *map, const struct symbol *symbol,
		    uint32_t rank)
{
	struct mark *mark = array_add(&map->marks);

	if (!mark)
		return -ERROR_MEMORY;
	mark->symbol = *symbol;
	mark->rank = rank;
	return 0;
}

int address_map_add(struct address_map *map, const struct symbol *symbol,
		    unsigned int rank)
{
	return add_mark(map, symbol, rank + 1);
}

int address_map_stop(struct address_map *map, uint64_t address)
{
	const struct symbol hole = {
		.start = address,
		.function = FUNCTION_UNKNOWN,
	};

	return add_mark(map, &hole, 0);
}

static int append_hole(struct address_map *map, uint64_t start, uint64_t end)
{
	const struct symbol hole = {
		.start = start,
		.end = end,
		.function = FUNCTION_UNKNOWN,
	};

	return start < end ? array_append(&map->symbols, &hole) : 0;
}

/* Appends @mark, which extends at most to @next. */
static int append_mark(struct address_map *map, const struct mark *mark,
		       uint64_t next)
{
	struct symbol symbol = mark->symbol;

	if (!symbol.end || symbol.end > next)
		symbol.end = next;
	if (array_append(&map->symbols, &symbol) < 0)
		return -ERROR_MEMORY;
	return append_hole(map, symbol.end, next);
}

/* Appends the winner of @count marks at one address, which extend at most to
 * @next.
 */
static int append_winner(struct address_map *map, const struct mark *marks,
			 size_t count, uint64_t next)
{
	const struct mark *winner = marks;

	/* The marks are in the order they were added. */
	for (size_t i = 1; i < count; i++)
		if (marks[i].rank >= winner->rank)
			winner = &marks[i];
	return append_mark(map, winner, next);
}

/* Returns how many of the @count marks have the address of the first one. */
static size_t at_one_address(const struct mark *marks, size_t count)
{
	size_t same = 1;

	while (same < count && marks[same].symbol.start == marks->symbol.start)
		same++;
	return same;
}

int address_map_finish(struct address_map *map)
{
	const struct mark *marks;
	size_t count = map->marks.count;
	size_t same;
	/* A kernel lists its own symbols in order, those of modules unordered.
	 */
	int status = number_sort(&map->marks);

	marks = map->marks.items;
	if (status < 0 || array_reserve(&map->symbols, count + 1) < 0 ||
	    append_hole(map, 0, count ? marks[0].symbol.start : UINT64_MAX) < 0)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count && !status; i += same) {
		uint64_t next;

		same = at_one_address(marks + i, count - i);
		next = i + same < count ? marks[i + same].symbol.start :
					  UINT64_MAX;
		if (marks[i].symbol.start != next)
			status = append_winner(map, marks + i, same, next);
	}
	array_free(&map->marks);
	return status;
}

int address_map_load(struct address_map *map, const struct symbol *symbols,
		     size_t count, uint32_t functions)
{
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++) {
		if (symbols[i].start != at || symbols[i].end <= at ||
		    symbols[i].function >= functions)
			return -ERROR_FORMAT;
		at = symbols[i].end;
	}
	if (at != UINT64_MAX)
		return -ERROR_FORMAT;
	map->symbols.items = (void *)(uintptr_t)symbols;
	map->symbols.count = count;
	map->is_borrowed = true;
	return 0;
}

/* Appends the @hole, with the symbols in it, which start at @next and end at
 * @end, to @map. Returns the first symbol after the hole, NULL when out of
 * memory.
 */
static const struct symbol *split_hole(struct address_map *map,
				       const struct symbol *hole,
				       const struct symbol *next,
				       const struct symbol *end)
{
	uint64_t at = hole->start;

	for (; next < end && next->start < hole->end; next++) {
		assert(next->start >= at && next->end <= hole->end);
		if (append_hole(map, at, next->start) < 0 ||
		    array_append(&map->symbols, next) < 0)
			return NULL;
		at = next->end;
	}
	return append_hole(map, at, hole->end) < 0 ? NULL : next;
}

int address_map_fill_holes(struct address_map *map, const struct array *symbols)
{
	struct array before = map->symbols;
	const struct symbol *next = symbols->items;
	const struct symbol *end;
	int status = 0;

	if (!symbols->count)
		return 0;
	end = next + symbols->count;
	map->symbols = ARRAY_OF(struct symbol);
	for (size_t i = 0; i < before.count && !status; i++) {
		const struct symbol *symbol = array_at(&before, i);

		if (symbol->function != FUNCTION_UNKNOWN) {
			status = array_append(&map->symbols, symbol);
			continue;
		}
		next = split_hole(map, symbol, next, end);
		if (!next)
			status = -ERROR_MEMORY;
	}
	array_free(&before);
	return status;
}

int address_map_fill(struct address_map *map, address_map_namer *namer,
		     void *ctx)
{
	struct symbol *symbols = map->symbols.items;

	for (size_t i = 0; i < map->symbols.count; i++) {
		struct symbol *symbol = &symbols[i];

		if (symbol->function != FUNCTION_UNKNOWN ||
		    symbol->end - symbol->start <= ADDRESS_MAP_PADDING)
			continue;
		symbol->function = namer(ctx, symbol->start);
		symbol->role = CODE_UNNAMED;
		if (symbol->function == FUNCTION_NONE)
			return -ERROR_MEMORY;
	}
	return 0;
}

struct symbol *address_map_symbols(struct address_map *map, size_t *count)
{
	*count = map->symbols.count;
	return map->symbols.items;
}

const struct symbol *address_map_find(const struct address_map *map,
				      uint64_t address)
{
	const struct symbol *symbols = map->symbols.items;
	size_t low = 0;
	size_t high = map->symbols.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return &symbols[low];
}

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

/* Cold parts are in the same order as their functions: linkers keep the order
 * of object files, compilers the order within a file. So a cold part belongs to
 * the function of its name that follows the function of the previous part.
 * Padding is followed by its function.
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
