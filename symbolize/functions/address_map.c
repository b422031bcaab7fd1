/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/address_map.h"

#include "common/array.h"
#include "common/error.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>

struct mark {
	struct symbol symbol; /* end is 0 where the size is unknown */
	uint32_t order;
	uint32_t rank; /* 0: a stop */
};

struct address_map {
	struct array marks;   /* struct mark; empty once finished */
	struct array symbols; /* struct symbol, without gaps */
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
	array_free(&map->symbols);
	free(map);
}

int address_map_reserve(struct address_map *map, size_t count)
{
	return array_reserve(&map->marks, count);
}

/* By address, then the one that wins last. */
static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a;
	const struct mark *y = b;

	if (x->symbol.start != y->symbol.start)
		return x->symbol.start < y->symbol.start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The last mark goes before those of its address that win over it, if these are
 * few: marks that come in order of their addresses are in order then.
 */
static void sink_last(struct array *marks)
{
	enum { FEW = 8 };
	struct mark *first = marks->items;
	size_t at = marks->count - 1;

	for (int i = 0; i < FEW && at; i++, at--) {
		struct mark last = first[at];

		if (first[at - 1].symbol.start != last.symbol.start ||
		    compare_marks(&first[at - 1], &last) <= 0)
			return;
		first[at] = first[at - 1];
		first[at - 1] = last;
	}
}

static int add_mark(struct address_map *map, const struct symbol *symbol,
		    uint32_t rank)
{
	struct mark *mark = array_add(&map->marks);

	if (!mark)
		return -ERROR_MEMORY;
	mark->symbol = *symbol;
	mark->order = (uint32_t)map->marks.count;
	mark->rank = rank;
	sink_last(&map->marks);
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

/* Appends a stretch that begins where the one before it ended. */
static int append(struct address_map *map, const struct symbol *symbol)
{
	struct symbol *last = array_add(&map->symbols);

	if (!last)
		return -ERROR_MEMORY;
	*last = *symbol;
	return 0;
}

static int append_hole(struct address_map *map, uint64_t start, uint64_t end)
{
	const struct symbol hole = {
		.start = start,
		.end = end,
		.function = FUNCTION_UNKNOWN,
	};

	return start < end ? append(map, &hole) : 0;
}

/* Appends @mark, which reaches up to @next at most. */
static int append_mark(struct address_map *map, const struct mark *mark,
		       uint64_t next)
{
	struct symbol symbol = mark->symbol;

	if (!symbol.end || symbol.end > next)
		symbol.end = next;
	if (append(map, &symbol) < 0)
		return -ERROR_MEMORY;
	return append_hole(map, symbol.end, next);
}

/* A kernel lists its own symbols in order, its modules' behind them in none. */
static void sort_marks(struct array *marks)
{
	const struct mark *all = marks->items;
	struct array rest = *marks;
	size_t sorted = 1;

	while (sorted < marks->count &&
	       compare_marks(all + sorted - 1, all + sorted) <= 0)
		sorted++;
	if (sorted >= marks->count)
		return;
	rest.items = (struct mark *)marks->items + sorted;
	rest.count -= sorted;
	array_sort(&rest, compare_marks);
	if (compare_marks(all + sorted - 1, all + sorted) > 0)
		array_sort(marks, compare_marks);
}

int address_map_finish(struct address_map *map)
{
	const struct mark *marks;
	size_t count = map->marks.count;
	int status = 0;

	sort_marks(&map->marks);
	marks = map->marks.items;
	if (array_reserve(&map->symbols, count + 1) < 0 ||
	    append_hole(map, 0, count ? marks[0].symbol.start : UINT64_MAX) < 0)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count && !status; i++) {
		uint64_t next = i + 1 < count ? marks[i + 1].symbol.start :
						UINT64_MAX;

		/* Several at one address: the last of them wins. */
		if (marks[i].symbol.start != next)
			status = append_mark(map, &marks[i], next);
	}
	array_free(&map->marks);
	return status;
}

int address_map_fill(struct address_map *map, address_map_namer *namer,
		     void *ctx)
{
	/* Functions begin at multiples of 16. */
	enum { LONGEST_PADDING = 15 };
	struct symbol *symbols = map->symbols.items;

	for (size_t i = 0; i < map->symbols.count; i++) {
		struct symbol *symbol = &symbols[i];

		if (symbol->function != FUNCTION_UNKNOWN ||
		    symbol->end - symbol->start <= LONGEST_PADDING)
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
