/* SPDX-License-Identifier: MIT */
#include "common/maps.h"
#include "tests/run_suite.h"

/* Keys as they come: ids, addresses, and some that share their low bits. */
static uint64_t key_at(uint64_t i)
{
	static const uint64_t steps[] = { 1, 64, UINT64_C(1) << 32 };

	return (i % 2 ? UINT64_C(0xffff888000000000) : 0) + i * steps[i % 3];
}

START_TEST(values_stay_with_their_keys)
{
	struct number_map map = { 0 };

	for (uint64_t i = 0; i < 5000; i++)
		*number_map_add(&map, key_at(i)) = i + 1;
	ck_assert_uint_eq(number_map_count(&map), 5000);
	for (uint64_t i = 0; i < 5000; i++)
		ck_assert_uint_eq(*number_map_find(&map, key_at(i)), i + 1);
	ck_assert_ptr_null(number_map_find(&map, 12345678901234567890u));
	number_map_free(&map);
}
END_TEST

START_TEST(adding_twice_keeps_the_value)
{
	struct number_map map = { 0 };

	*number_map_add(&map, 0) = 7;
	ck_assert_uint_eq(*number_map_add(&map, 0), 7);
	ck_assert_uint_eq(number_map_count(&map), 1);
	number_map_free(&map);
}
END_TEST

START_TEST(a_count_is_forgotten_at_0)
{
	struct number_map map = { 0 };

	*number_map_add(&map, 7) = 2;
	ck_assert_uint_eq(number_map_lower(&map, 7), 1);
	ck_assert_uint_eq(number_map_count(&map), 1);
	ck_assert_uint_eq(number_map_lower(&map, 7), 0);
	ck_assert_uint_eq(number_map_lower(&map, 7), 0);
	ck_assert_uint_eq(number_map_count(&map), 0);
	number_map_free(&map);
}
END_TEST

START_TEST(removing_keeps_the_other_keys)
{
	struct number_map map = { 0 };

	for (uint64_t i = 0; i < 3000; i++)
		*number_map_add(&map, key_at(i)) = i + 1;
	for (uint64_t i = 0; i < 3000; i += 3)
		number_map_remove(&map, key_at(i));
	number_map_remove(&map, key_at(0));
	ck_assert_uint_eq(number_map_count(&map), 2000);
	for (uint64_t i = 0; i < 3000; i++) {
		const uint64_t *value = number_map_find(&map, key_at(i));

		if (i % 3)
			ck_assert_uint_eq(*value, i + 1);
		else
			ck_assert_ptr_null(value);
	}
	number_map_free(&map);
}
END_TEST

START_TEST(a_cleared_one_is_empty_and_goes_on)
{
	struct number_map map = { 0 };

	number_map_clear(&map);
	for (uint64_t i = 0; i < 100; i++)
		*number_map_add(&map, key_at(i)) = i + 1;
	number_map_clear(&map);
	ck_assert_uint_eq(number_map_count(&map), 0);
	for (uint64_t i = 0; i < 100; i++)
		ck_assert_ptr_null(number_map_find(&map, key_at(i)));
	ck_assert_uint_eq(*number_map_add(&map, key_at(7)), 0);
	ck_assert_uint_eq(number_map_count(&map), 1);
	number_map_free(&map);
}
END_TEST

START_TEST(all_values_come_by_once)
{
	struct number_map map = { 0 };
	const uint64_t *value;
	size_t place = 0;
	uint64_t count = 0;
	uint64_t sum = 0;

	ck_assert_ptr_null(number_map_next(&map, &place));
	for (uint64_t i = 0; i < 1000; i++)
		*number_map_add(&map, key_at(i)) = i;
	place = 0;
	for (; (value = number_map_next(&map, &place)); count++)
		sum += *value;
	ck_assert_uint_eq(count, 1000);
	ck_assert_uint_eq(sum, 1000 * 999 / 2);
	number_map_free(&map);
}
END_TEST

START_TEST(a_zeroed_one_is_empty_and_so_is_a_freed_one)
{
	struct number_map map = { 0 };

	for (int i = 0; i < 2; i++) {
		size_t place = 0;

		ck_assert_ptr_null(number_map_find(&map, 7));
		ck_assert_ptr_null(number_map_pointer(&map, 7));
		ck_assert_ptr_null(number_map_next_pointer(&map, &place));
		ck_assert_uint_eq(number_map_lower(&map, 7), 0);
		number_map_remove(&map, 7);
		ck_assert_uint_eq(number_map_count(&map), 0);
		*number_map_add(&map, 7) = 1;
		ck_assert_uint_eq(number_map_count(&map), 1);
		number_map_free(&map);
	}
}
END_TEST

START_TEST(values_may_be_pointers)
{
	struct number_map map = { 0 };
	int one = 1;
	int two = 2;
	size_t place = 0;

	*number_map_add(&map, 1) = (uintptr_t)&one;
	*number_map_add(&map, 2) = (uintptr_t)&two;
	*number_map_add(&map, 3) = 0;
	ck_assert_ptr_eq(number_map_pointer(&map, 1), &one);
	ck_assert_ptr_null(number_map_pointer(&map, 3));
	ck_assert_ptr_eq(number_map_take_pointer(&map, 2), &two);
	ck_assert_ptr_null(number_map_take_pointer(&map, 2));
	/* NULL pointers are skipped. */
	ck_assert_ptr_eq(number_map_next_pointer(&map, &place), &one);
	ck_assert_ptr_null(number_map_next_pointer(&map, &place));
	ck_assert_uint_eq(number_map_count(&map), 2);
	number_map_free(&map);
}
END_TEST

SUITE("number_map")
{
	TEST(values_stay_with_their_keys);
	TEST(adding_twice_keeps_the_value);
	TEST(a_count_is_forgotten_at_0);
	TEST(removing_keeps_the_other_keys);
	TEST(a_cleared_one_is_empty_and_goes_on);
	TEST(all_values_come_by_once);
	TEST(a_zeroed_one_is_empty_and_so_is_a_freed_one);
	TEST(values_may_be_pointers);
}
