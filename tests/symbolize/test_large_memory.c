/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/memory.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEGABYTE = 1 << 20 };

static const size_t sizes[] = {
	0, 1, 4096, 2 * MEGABYTE - 1, 2 * MEGABYTE, 5 * MEGABYTE + 3
};

START_TEST(all_of_it_can_be_written)
{
	uint8_t *memory = large_memory_new(sizes[_i]);

	ck_assert_ptr_nonnull(memory);
	memset(memory, 0x5a, sizes[_i]);
	free(memory);
}
END_TEST

START_TEST(moving_keeps_the_bytes)
{
	size_t size = sizes[_i];
	uint8_t *memory = large_memory_zeroed(size);
	uint8_t *moved;

	for (size_t i = 0; i < size; i++) {
		ck_assert_uint_eq(memory[i], 0);
		memory[i] = (uint8_t)(i * 7);
	}
	moved = large_memory_move(memory, size, size + 3 * MEGABYTE);
	ck_assert_ptr_nonnull(moved);
	for (size_t i = 0; i < size; i++)
		ck_assert_uint_eq(moved[i], (uint8_t)(i * 7));
	ck_assert_ptr_null(large_memory_move(moved, size, SIZE_MAX));
	free(moved);
}
END_TEST

START_TEST(more_than_there_is_is_refused)
{
	ck_assert_ptr_null(large_memory_zeroed(SIZE_MAX));
	ck_assert_ptr_null(large_memory_new(SIZE_MAX));
	ck_assert_ptr_null(large_memory_new(SIZE_MAX - 4 * MEGABYTE));
}
END_TEST

/* Existing items stay, new ones are zeroed, and more than was reserved fits. */
START_TEST(an_array_with_room_is_an_array)
{
	struct array numbers = ARRAY_OF(uint64_t);

	*(uint64_t *)array_add(&numbers) = 7;
	ck_assert_int_eq(array_reserve(&numbers, MEGABYTE), 0);
	ck_assert_uint_ge(numbers.room, MEGABYTE);
	ck_assert_uint_eq(numbers.count, 1);
	ck_assert_int_eq(array_reserve(&numbers, 3), 0);
	ck_assert_uint_ge(numbers.room, MEGABYTE);
	memset((uint64_t *)numbers.items + 1, 0x5a, 64);
	for (size_t i = 1; i < MEGABYTE + 10; i++)
		ck_assert_uint_eq(*(uint64_t *)array_add(&numbers), 0);
	ck_assert_uint_eq(*(uint64_t *)array_at(&numbers, 0), 7);
	ck_assert_int_lt(array_reserve(&numbers, SIZE_MAX / 4), 0);
	array_free(&numbers);
}
END_TEST

/* Old contents are gone after arena_clear(). */
START_TEST(an_arena_hands_out_zeros)
{
	struct arena *arena = arena_new();

	ck_assert_int_eq(arena_reserve(arena, 3 * MEGABYTE), 0);
	for (int again = 0; again < 3; again++) {
		for (int i = 0; i < 40; i++) {
			uint8_t *bytes = arena_alloc(arena, MEGABYTE / 10);

			for (int j = 0; j < MEGABYTE / 10; j++)
				ck_assert_uint_eq(bytes[j], 0);
			memset(bytes, 0x5a, MEGABYTE / 10);
			ck_assert_str_eq(arena_text(arena, "text...", 4),
					 "text");
		}
		arena_clear(arena);
	}
	ck_assert_int_lt(arena_reserve(arena, SIZE_MAX - 1), 0);
	arena_free(arena);
}
END_TEST

/* Functions are numbered in order, with or without reserved room. */
START_TEST(functions_are_found_however_many)
{
	struct function_table *table = function_table_new();
	const char *module = function_table_module(table, "m", 1);

	ck_assert_int_eq(function_table_reserve(table, 3000), 0);
	for (int again = 0; again < 2; again++)
		for (uint32_t i = 1; i < 9000; i++) {
			char name[16];
			int length = snprintf(name, sizeof(name), "f%u", i);

			ck_assert_uint_eq(function_table_add(table, name,
							     (size_t)length,
							     module, 'k'),
					  i);
		}
	ck_assert_uint_eq(function_count(table), 9000);
	function_table_free(table);
}
END_TEST

SUITE("large_memory")
{
	TEST_EACH(all_of_it_can_be_written, sizes);
	TEST_EACH(moving_keeps_the_bytes, sizes);
	TEST(more_than_there_is_is_refused);
	TEST(an_array_with_room_is_an_array);
	TEST(an_arena_hands_out_zeros);
	TEST(functions_are_found_however_many);
}
