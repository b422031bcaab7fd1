/* SPDX-License-Identifier: MIT */
/* Items are sorted by their numbers, and equal ones stay in order. */
#include "common/array.h"
#include "tests/run_suite.h"

#include <stdlib.h>

struct item {
	uint64_t number;
	uint32_t order;
	char text[5]; /* moves with the number */
};

/* Numbers are made of @bits, from @first on. */
struct numbers {
	const char *what;
	uint64_t first;
	uint64_t bits;
	size_t count;
	uint64_t step; /* added from one to the next */
};

static const struct numbers cases[] = {
	{ "none", 0, 0, 0, 0 },
	{ "one", 7, 0, 1, 0 },
	{ "all equal", 7, 0, 100, 0 },
	{ "a few numbers, many times", 0, 0x3, 1000, 0 },
	{ "one digit", 0, 0x7ff, 5000, 0 },
	{ "odd digits alone", 0xffff000000000000, 0x3fff8007ff, 5000, 0 },
	{ "the highest bit alone", 0, UINT64_C(1) << 63, 100, 0 },
	{ "all bits", 0, UINT64_MAX, 5000, 0 },
	{ "two", 0, UINT64_MAX, 2, 0 },
	{ "in order", 0, 0, 1000, 16 },
	{ "nearly in order", 0, 0x3f, 1000, 16 },
	{ "two rows in turn", 0, UINT64_C(1) << 60, 200, 1 },
	{ "the lowest last", UINT64_C(1) << 62, 0x3ff, 1000, -5 },
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct array items_of(const struct numbers *numbers)
{
	struct array items = ARRAY_OF(struct item);
	uint64_t state = 88172645463325252;

	for (uint32_t i = 0; i < numbers->count; i++) {
		struct item *item = array_add(&items);
		uint64_t bits = next_random(&state) & numbers->bits;

		*item = (struct item){ .number = (numbers->first ^ bits) +
						 i * numbers->step,
				       .order = i,
				       .text = { (char)i, (char)bits } };
	}
	return items;
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void check_equal(const struct array *items, const struct array *expected)
{
	for (size_t i = 0; i < items->count; i++)
		ck_assert_mem_eq(array_at(items, i), array_at(expected, i),
				 items->item_size);
}

START_TEST(items_are_in_order)
{
	struct array items = items_of(&cases[_i]);
	struct array expected = items_of(&cases[_i]);

	if (expected.count)
		qsort(expected.items, expected.count, expected.item_size,
		      compare);
	ck_assert_int_eq(number_sort(&items), 0);
	check_equal(&items, &expected);
	/* Sorted numbers stay in order. */
	ck_assert_int_eq(number_sort(&items), 0);
	check_equal(&items, &expected);
	array_free(&items);
	array_free(&expected);
}
END_TEST

SUITE("number_sort")
{
	TEST_EACH(items_are_in_order, cases);
}
