/* SPDX-License-Identifier: MIT */
#include "common/files/file_map.h"
#include "tests/run_suite.h"

enum { MEGABYTE = 1 << 20 };

START_TEST(growing_keeps_the_bytes_and_adds_zeros)
{
	struct pages pages = { 0 };
	size_t filled = 0;

	for (size_t size = 8192; size <= 64 * MEGABYTE; size *= 2) {
		uint8_t *bytes;

		ck_assert(pages_grow(&pages, size));
		ck_assert_uint_eq(pages.size, size);
		bytes = pages.memory;
		for (size_t i = 0; i < size; i += 1000)
			ck_assert_uint_eq(bytes[i],
					  i < filled ? i / 1000 % 251 : 0);
		for (size_t i = 0; i < size; i += 1000)
			bytes[i] = i / 1000 % 251;
		filled = size;
	}
	pages_free(&pages);
	ck_assert_ptr_null(pages.memory);
	pages_free(&pages);
}
END_TEST

START_TEST(a_failure_to_grow_changes_nothing)
{
	struct pages pages = { 0 };

	ck_assert(!pages_grow(&pages, SIZE_MAX / 2));
	ck_assert_ptr_null(pages.memory);
	ck_assert(pages_grow(&pages, 8192));
	*(uint8_t *)pages.memory = 7;
	ck_assert(!pages_grow(&pages, SIZE_MAX / 2));
	ck_assert_uint_eq(pages.size, 8192);
	ck_assert_uint_eq(*(uint8_t *)pages.memory, 7);
	pages_free(&pages);
}
END_TEST

START_TEST(whole_pages_are_given_back)
{
	struct pages pages = { 0 };
	uint8_t *bytes;

	ck_assert(pages_grow(&pages, 4 * 4096));
	bytes = pages.memory;
	for (size_t i = 0; i < pages.size; i++)
		bytes[i] = 1;
	ck_assert_uint_eq(pages_release(bytes, 100, 2 * 4096 + 5), 2 * 4096);
	ck_assert_uint_eq(bytes[4095], 1);
	ck_assert_uint_eq(bytes[4096], 0);
	ck_assert_uint_eq(bytes[2 * 4096 - 1], 0);
	ck_assert_uint_eq(bytes[2 * 4096], 1);
	ck_assert_uint_eq(pages_release(bytes, 100, 200), 100);
	pages_free(&pages);
}
END_TEST

SUITE("pages")
{
	TEST(growing_keeps_the_bytes_and_adds_zeros);
	TEST(a_failure_to_grow_changes_nothing);
	TEST(whole_pages_are_given_back);
}
