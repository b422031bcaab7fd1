/* SPDX-License-Identifier: MIT */
#include "report/text/name_text.h"
#include "tests/run_suite.h"

START_TEST(shares_stand_out_as_in_perf)
{
	const struct colors *terminal = &colors_of_terminal;

	ck_assert_str_eq(colors_of_share(terminal, 100), terminal->hot);
	ck_assert_str_eq(colors_of_share(terminal, 5), terminal->hot);
	ck_assert_str_eq(colors_of_share(terminal, 4.99), terminal->warm);
	ck_assert_str_eq(colors_of_share(terminal, 0.5), terminal->warm);
	ck_assert_str_eq(colors_of_share(terminal, 0.49), "");
	ck_assert_str_eq(colors_of_share(&colors_none, 100), "");
}
END_TEST

SUITE("colors")
{
	TEST(shares_stand_out_as_in_perf);
}
