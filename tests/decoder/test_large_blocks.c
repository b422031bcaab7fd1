/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/large_blocks.h"
#include "tests/run_suite.h"

#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 200000, MANY = 100 };

/* Volatile, so that compilers do not remove the allocation. */
static uint8_t *volatile kept;

static uint8_t *new_block(size_t size, int fill)
{
	kept = malloc(size);
	ck_assert_ptr_nonnull(kept);
	memset(kept, fill, size);
	return kept;
}

static bool is_filled(const uint8_t *bytes, size_t size, int fill)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != fill)
			return false;
	return true;
}

START_TEST(a_block_is_handed_out_again_to_its_own_size)
{
	uint8_t *first = new_block(SIZE, 1);
	uintptr_t place = (uintptr_t)first;
	uint8_t *other;

	free(first);
	other = new_block(SIZE + 1, 2);
	first = new_block(SIZE, 3);
	ck_assert_uint_eq((uintptr_t)first, place);
	ck_assert(is_filled(other, SIZE + 1, 2));
	free(other);
	free(first);
}
END_TEST

START_TEST(zeroed_it_is_zero)
{
	uint8_t *block;

	free(new_block(SIZE, 1));
	block = calloc(SIZE / 4, 4);
	ck_assert(is_filled(block, SIZE, 0));
	free(block);
}
END_TEST

START_TEST(resizing_keeps_the_bytes)
{
	static const size_t sizes[] = { 10, SIZE, 2 * SIZE, SIZE, 10 };
	uint8_t *block = new_block(10, 7);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		block = realloc(block, sizes[i]);
		ck_assert(is_filled(block, 10, 7));
	}
	free(block);
}
END_TEST

START_TEST(more_than_are_kept_are_all_there)
{
	uint8_t *blocks[MANY];

	for (int i = 0; i < MANY; i++)
		blocks[i] = new_block(SIZE + (size_t)i % 3, i);
	for (int i = 0; i < MANY; i++)
		ck_assert(is_filled(blocks[i], SIZE, i));
	for (int i = 0; i < MANY; i++)
		free(blocks[i]);
	for (int i = 0; i < MANY; i++)
		free(new_block(SIZE + (size_t)i, i));
}
END_TEST

#if defined(__SANITIZE_ADDRESS__)
START_TEST(freed_it_is_forbidden)
{
	uint8_t *block = new_block(SIZE, 1);
	/* volatile: compilers warn about pointers to freed memory */
	const uint8_t *volatile gone = block;

	ck_assert(!__asan_address_is_poisoned(gone));
	ck_assert(__asan_address_is_poisoned(gone + SIZE));
	free(block);
	ck_assert(__asan_address_is_poisoned(gone));
	ck_assert(__asan_address_is_poisoned(gone + SIZE - 1));
}
END_TEST
#endif

SUITE("large_blocks")
{
	TEST(a_block_is_handed_out_again_to_its_own_size);
	TEST(zeroed_it_is_zero);
	TEST(resizing_keeps_the_bytes);
	TEST(more_than_are_kept_are_all_there);
#if defined(__SANITIZE_ADDRESS__)
	TEST(freed_it_is_forbidden);
#endif
}
