/* SPDX-License-Identifier: MIT */
#include "report/text/duration_text.h"
#include "tests/run_suite.h"

#include <stdint.h>

static const struct {
	uint64_t ns;
	const char *text;
} cases[] = {
	{ 0, "0" },
	{ 1, "1ns" },
	{ 999, "999ns" },
	{ 1000, "1.00us" },
	{ 9994, "9.99us" },
	{ 9995, "10.0us" },
	{ 99949, "99.9us" },
	{ 99950, "100us" },
	{ 999499, "999us" },
	{ 999500, "1.00ms" },
	{ 94114998, "94.1ms" },
	{ 999499999, "999ms" },
	{ 999500000, "1.00s" },
	{ UINT64_C(61000000000), "61.0s" },
	{ UINT64_C(123456000000000), "123456s" },
	{ UINT64_MAX, "18446744074s" },
};

START_TEST(three_digits_and_a_unit)
{
	ck_assert_str_eq(duration_text_of(cases[_i].ns).text, cases[_i].text);
}
END_TEST

static Suite *duration_text_suite(void)
{
	Suite *suite = suite_create("duration_text");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, three_digits_and_a_unit, 0,
			    sizeof(cases) / sizeof(*cases));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(duration_text_suite());
}
