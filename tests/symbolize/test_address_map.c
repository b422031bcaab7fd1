/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <stdlib.h>

enum { MARKS = 3000, RANKS = 4, SPACE = 16 };

struct added {
	uint64_t address;
	unsigned int rank;
};

static struct added marks[MARKS];

typedef uint64_t choose_address(size_t i);

/* Like a kernel's symbols: some addresses have several names. */
static uint64_t in_order(size_t i)
{
	return 0x1000 + i / 3 * SPACE;
}

/* Like a kernel's modules, whose symbols follow the kernel's in no order. */
static uint64_t rest_in_no_order(size_t i)
{
	return i < MARKS / 2 ? in_order(i) :
			       0x100000 + (uint64_t)random() % MARKS * SPACE;
}

/* All symbols are in no order. */
static uint64_t in_no_order(size_t i)
{
	(void)i;
	return (uint64_t)random() % MARKS * SPACE + SPACE;
}

static uint64_t all_at_one(size_t i)
{
	(void)i;
	return 0x1000;
}

static choose_address *const orders[] = { in_order, rest_in_no_order,
					  in_no_order, all_at_one };

/* Returns the mark that wins at the address of mark @like: the last one with
 * the highest rank.
 */
static size_t winner(size_t like)
{
	size_t best = like;

	for (size_t i = 0; i < MARKS; i++)
		if (marks[i].address == marks[like].address &&
		    (marks[i].rank > marks[best].rank ||
		     (marks[i].rank == marks[best].rank && i > best)))
			best = i;
	return best;
}

static struct address_map *map_of(choose_address *choose)
{
	struct address_map *map = address_map_new();

	ck_assert_ptr_nonnull(map);
	srandom(1);
	for (size_t i = 0; i < MARKS; i++) {
		struct symbol symbol = { .function = (uint32_t)i + 1 };

		marks[i].address = symbol.start = choose(i);
		marks[i].rank = (unsigned int)random() % RANKS;
		ck_assert_int_eq(address_map_add(map, &symbol, marks[i].rank),
				 0);
	}
	ck_assert_int_eq(address_map_finish(map), 0);
	return map;
}

START_TEST(the_one_that_wins_is_found_in_whichever_order_they_come)
{
	struct address_map *map = map_of(orders[_i]);

	for (size_t i = 0; i < MARKS; i++) {
		const struct symbol *symbol =
			address_map_find(map, marks[i].address);

		ck_assert_uint_eq(symbol->start, marks[i].address);
		ck_assert_uint_eq(symbol->function, winner(i) + 1);
		ck_assert_uint_gt(symbol->end, symbol->start);
	}
	ck_assert_uint_eq(address_map_find(map, 1)->function, FUNCTION_UNKNOWN);
	address_map_free(map);
}
END_TEST

START_TEST(a_map_of_nothing_knows_nothing)
{
	struct address_map *map = address_map_new();

	ck_assert_ptr_nonnull(map);
	ck_assert_int_eq(address_map_finish(map), 0);
	ck_assert_uint_eq(address_map_find(map, 1)->function, FUNCTION_UNKNOWN);
	address_map_free(map);
}
END_TEST

/* A hole before, between and after two functions. */
START_TEST(holes_are_split_by_the_symbols_in_them)
{
	static const struct symbol own[] = {
		{ .start = 0x100, .end = 0x140, .function = 1 },
		{ .start = 0x200, .end = 0x240, .function = 2 },
	};
	struct symbol made[] = {
		{ .start = 0x80, .end = 0xc0, .function = 3 },
		{ .start = 0x140, .end = 0x150, .function = 4 },
		{ .start = 0x150, .end = 0x200, .function = 5 },
	};
	static const uint32_t expected[][3] = {
		{ 0, 0x80, FUNCTION_UNKNOWN },
		{ 0x80, 0xc0, 3 },
		{ 0xc0, 0x100, FUNCTION_UNKNOWN },
		{ 0x100, 0x140, 1 },
		{ 0x140, 0x150, 4 },
		{ 0x150, 0x200, 5 },
		{ 0x200, 0x240, 2 },
	};
	const struct array symbols = { made, 3, 3, sizeof(*made) };
	struct address_map *map = address_map_new();

	for (size_t i = 0; i < 2; i++)
		ck_assert_int_eq(address_map_add(map, &own[i], 0), 0);
	ck_assert_int_eq(address_map_finish(map), 0);
	ck_assert_int_eq(address_map_fill_holes(map, &ARRAY_OF(struct symbol)),
			 0);
	ck_assert_int_eq(address_map_fill_holes(map, &symbols), 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const struct symbol *found =
			address_map_find(map, expected[i][0]);

		ck_assert_uint_eq(found->start, expected[i][0]);
		ck_assert_uint_eq(found->end, expected[i][1]);
		ck_assert_uint_eq(found->function, expected[i][2]);
	}
	ck_assert_uint_eq(address_map_find(map, 0x240)->function,
			  FUNCTION_UNKNOWN);
	address_map_free(map);
}
END_TEST

SUITE("address_map")
{
	TEST_EACH(the_one_that_wins_is_found_in_whichever_order_they_come,
		  orders);
	TEST(holes_are_split_by_the_symbols_in_them);
	TEST(a_map_of_nothing_knows_nothing);
}
