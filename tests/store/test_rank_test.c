/* SPDX-License-Identifier: MIT */
/* Compares the rank test with published tables and manual counting. */
#include "store/answer/rank_test.h"
#include "tests/run_suite.h"

#include <check.h>

static const double low[] = { 1, 2, 3, 4 };
static const double high[] = { 5, 6, 7, 8 };

START_TEST(sides_that_do_not_overlap_are_least_likely)
{
	/* Two of the 70 possible distributions of 8 ranks. */
	ck_assert_double_eq_tol(rank_test(low, 4, high, 4), 2.0 / 70, 1e-12);
	ck_assert_double_eq_tol(rank_test_least(4, 4), 2.0 / 70, 1e-12);
	ck_assert_double_eq_tol(rank_test_least(3, 3), 0.1, 1e-12);
}
END_TEST

START_TEST(equal_sides_show_no_difference)
{
	const double same[] = { 3, 3, 3 };

	ck_assert_double_eq_tol(rank_test(same, 3, same, 3), 1, 1e-12);
	ck_assert_double_eq_tol(rank_test(low, 4, low, 0), 1, 1e-12);
}
END_TEST

START_TEST(both_directions_are_alike)
{
	const double other[] = { 2.5, 3.5, 9 };

	ck_assert_double_eq_tol(rank_test(low, 4, other, 3),
				rank_test(other, 3, low, 4), 1e-12);
}
END_TEST

START_TEST(false_finds_are_counted)
{
	double p[] = { 0.01, 0.02, 0.5 };

	rank_test_adjust(p, 3);
	ck_assert_double_eq_tol(p[0], 0.03, 1e-12);
	ck_assert_double_eq_tol(p[1], 0.03, 1e-12);
	ck_assert_double_eq_tol(p[2], 0.5, 1e-12);
}
END_TEST

SUITE("rank_test")
{
	TEST(sides_that_do_not_overlap_are_least_likely);
	TEST(equal_sides_show_no_difference);
	TEST(both_directions_are_alike);
	TEST(false_finds_are_counted);
}
