/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "tests/run_suite.h"

struct sum {
	int32_t pid;
	uint32_t function;
	uint64_t total;
};

static struct sum *sum_of(struct keyed_array *sums, int32_t pid,
			  uint32_t function)
{
	return keyed_array_add(sums, &(struct sum){ .pid = pid,
						    .function = function,
						    .total = 1000 });
}

START_TEST(each_key_has_one_item)
{
	struct keyed_array sums = KEYED_ARRAY_OF(struct sum, function);

	for (int round = 0; round < 2; round++)
		for (int32_t pid = 0; pid < 50; pid++)
			for (uint32_t i = 0; i < 100; i++)
				sum_of(&sums, pid, i << 16)->total += i;
	ck_assert_uint_eq(sums.items.count, 5000);
	for (uint32_t i = 0; i < 5000; i++) {
		const struct sum *sum = array_at(&sums.items, i);

		ck_assert_int_eq(sum->pid, (int32_t)(i / 100));
		ck_assert_uint_eq(sum->function, i % 100 << 16);
		ck_assert_uint_eq(sum->total, 1000 + 2 * (i % 100));
	}
	keyed_array_free(&sums);
}
END_TEST

START_TEST(finds_only_added_items)
{
	struct keyed_array sums = KEYED_ARRAY_OF(struct sum, function);
	const struct sum key = { .pid = -1, .function = 7 };
	const struct sum other = { .pid = 7, .function = UINT32_MAX };

	ck_assert_ptr_null(keyed_array_find(&sums, &key));
	ck_assert_ptr_nonnull(sum_of(&sums, -1, 7));
	ck_assert_ptr_eq(keyed_array_find(&sums, &key), sums.items.items);
	ck_assert_ptr_null(keyed_array_find(&sums, &other));
	keyed_array_free(&sums);
	ck_assert_ptr_null(keyed_array_find(&sums, &key));
}
END_TEST

SUITE("keyed_array")
{
	TEST(each_key_has_one_item);
	TEST(finds_only_added_items);
}
