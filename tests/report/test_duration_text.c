/* SPDX-License-Identifier: MIT */
#include "report/text/duration_text.h"
#include "tests/run_suite.h"

#include <stdint.h>

static const struct {
	uint64_t ns;
	const char *text;
} cases[] = {
	{ 0, "0" },
	{ 1, "1 ns" },
	{ 999, "999 ns" },
	{ 1000, "1.00 us" },
	{ 9994, "9.99 us" },
	{ 9995, "10.0 us" },
	{ 99949, "99.9 us" },
	{ 99950, "100 us" },
	{ 999499, "999 us" },
	{ 999500, "1.00 ms" },
	{ 94114998, "94.1 ms" },
	{ 999499999, "999 ms" },
	{ 999500000, "1.00 s" },
	{ UINT64_C(61000000000), "61.0 s" },
	{ UINT64_C(123456000000000), "123456 s" },
	{ UINT64_MAX, "18446744074 s" },
};

START_TEST(three_digits_and_a_unit)
{
	ck_assert_str_eq(duration_text_of(cases[_i].ns).text, cases[_i].text);
}
END_TEST

SUITE("duration_text")
{
	TEST_EACH(three_digits_and_a_unit, cases);
}
