/* SPDX-License-Identifier: MIT */
#include "report/text/duration_text.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const uint64_t edges[] = {
	0,	1,	9,	10,	11,	15,	16,	99,	100,
	255,	256,	999,	1000,	9999,	10000,	65535,	99999,	100000,
	999999,	1000000, 9999999, 10000000, 99999999, 100000000, 999999999,
	1000000000, UINT32_MAX, (uint64_t)UINT32_MAX + 1, 9999999999,
	10000000000, 999999999999999999, 1000000000000000000, INT64_MAX,
	(uint64_t)INT64_MAX + 1, 9999999999999999999u, 10000000000000000000u,
	UINT64_MAX - 1, UINT64_MAX,
};
/* clang-format on */

enum { EDGES = sizeof(edges) / sizeof(*edges), GUARD = 0x7e };

/* Compares with printf(), and checks that no byte after the end is written. */
static void check(const char *text, size_t size, const char *expected)
{
	ck_assert_uint_eq(size, strlen(expected));
	ck_assert_mem_eq(text, expected, size);
	ck_assert_int_eq(text[size], GUARD);
}

static void check_all(uint64_t value)
{
	char text[DIGITS_MOST + 1];
	char expected[32];

	memset(text, GUARD, sizeof(text));
	snprintf(expected, sizeof(expected), "%" PRIu64, value);
	check(text, digits_decimal(text, value), expected);
	ck_assert_uint_eq(digits_count(value), strlen(expected));
	memset(text, GUARD, sizeof(text));
	snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)value);
	check(text, digits_signed(text, (int64_t)value), expected);
	memset(text, GUARD, sizeof(text));
	snprintf(expected, sizeof(expected), "%" PRIx64, value);
	check(text, digits_hex(text, value), expected);
}

START_TEST(edges_are_as_printf_has_them)
{
	check_all(edges[_i]);
	check_all(-edges[_i]);
}
END_TEST

START_TEST(random_numbers_are_as_printf_has_them)
{
	uint64_t random = 1;

	for (int i = 0; i < suite_repeats(100000); i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		check_all(random >> i % 64);
	}
}
END_TEST

static const struct {
	uint64_t value;
	size_t count;
	const char *decimal;
	const char *hex;
} paddings[] = {
	{ 0, 0, "", "" },
	{ 7, 1, "7", "7" },
	{ 0, 3, "000", "000" },
	{ 42, 3, "042", "02a" },
	{ 42, 9, "000000042", "00000002a" },
	{ 123456789, 9, "123456789", "0075bcd15" },
	{ 123456789, 4, "6789", "cd15" },
	{ UINT64_MAX, 20, "18446744073709551615", "0000ffffffffffffffff" },
};

START_TEST(numbers_are_padded)
{
	size_t count = paddings[_i].count;
	char text[32];

	memset(text, GUARD, sizeof(text));
	digits_padded(text, paddings[_i].value, count);
	check(text, count, paddings[_i].decimal);
	memset(text, GUARD, sizeof(text));
	digits_hex_padded(text, paddings[_i].value, count);
	check(text, count, paddings[_i].hex);
}
END_TEST

SUITE("digits")
{
	TEST_TIMES(edges_are_as_printf_has_them, EDGES);
	TEST(random_numbers_are_as_printf_has_them);
	TEST_EACH(numbers_are_padded, paddings);
}
