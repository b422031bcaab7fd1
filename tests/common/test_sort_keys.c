/* SPDX-License-Identifier: MIT */
/* Items are sorted and found by keys: members of any integer type. */
#include "common/array.h"
#include "tests/run_suite.h"

#include <stdlib.h>

struct item {
	int8_t first; /* no key: keys need not be at the start */
	bool is_last;
	uint16_t small;
	int32_t pid;
	uint64_t time_ns;
	int64_t offset;
};

static const struct item unsorted[] = {
	{ .pid = 7, .time_ns = 3, .small = 1 },
	{ .pid = -1, .time_ns = UINT64_MAX, .small = 2, .is_last = true },
	{ .pid = 7, .time_ns = 9, .small = 3, .offset = -5 },
	{ .pid = INT32_MIN, .time_ns = 0, .small = 4, .offset = INT64_MAX },
	{ .pid = 7, .time_ns = 3, .small = 65535, .offset = INT64_MIN },
};

enum { ITEMS = sizeof(unsorted) / sizeof(*unsorted) };

struct sort_case {
	const struct sort_key *keys;
	uint16_t sorted[ITEMS]; /* small of each item */
};

/* Checks the items of an array that is sorted by the case's keys. */
static void check_order(const struct sort_case *sort)
{
	struct array items = ARRAY_OF(struct item);

	for (size_t i = 0; i < ITEMS; i++)
		ck_assert_int_eq(array_append(&items, &unsorted[i]), 0);
	array_sort_by(&items, sort->keys);
	for (size_t i = 0; i < ITEMS; i++)
		ck_assert_uint_eq(((struct item *)array_at(&items, i))->small,
				  sort->sorted[i]);
	array_free(&items);
}

START_TEST(items_are_sorted_by_keys)
{
	check_order(&(struct sort_case){ KEYS(RISING(struct item, pid),
					      FALLING(struct item, time_ns),
					      RISING(struct item, offset)),
					 { 4, 2, 3, 65535, 1 } });
	check_order(&(struct sort_case){
		KEYS(FALLING(struct item, pid), RISING(struct item, small)),
		{ 1, 3, 65535, 2, 4 } });
	check_order(&(struct sort_case){ KEYS(FALLING(struct item, is_last),
					      FALLING(struct item, offset),
					      RISING(struct item, small)),
					 { 2, 4, 1, 3, 65535 } });
	check_order(&(struct sort_case){
		KEYS(RISING(struct item, offset), FALLING(struct item, small)),
		{ 65535, 3, 2, 1, 4 } });
}
END_TEST

START_TEST(numbers_are_sorted_and_counted)
{
	static const int32_t numbers[] = { 5, -3, INT32_MAX, -3, 0 };
	static const int32_t sorted[] = { -3, -3, 0, 5, INT32_MAX };
	const struct sort_key *keys = KEYS(RISING_NUMBER(int32_t));
	struct array items = ARRAY_OF(int32_t);

	for (size_t i = 0; i < 5; i++)
		ck_assert_int_eq(array_append(&items, &numbers[i]), 0);
	array_sort_by(&items, keys);
	ck_assert_mem_eq(items.items, sorted, sizeof(sorted));
	ck_assert_uint_eq(array_count_below(&items, keys, (uint64_t)-3), 0);
	ck_assert_uint_eq(array_count_up_to(&items, keys, (uint64_t)-3), 2);
	ck_assert_uint_eq(array_count_below(&items, keys, 5), 3);
	ck_assert_uint_eq(array_count_up_to(&items, keys, 4), 3);
	ck_assert_uint_eq(array_count_up_to(&items, keys, INT32_MAX), 5);
	array_free(&items);
	ck_assert_uint_eq(array_count_up_to(&items, keys, 1), 0);
}
END_TEST

SUITE("sort_keys")
{
	TEST(items_are_sorted_by_keys);
	TEST(numbers_are_sorted_and_counted);
}
