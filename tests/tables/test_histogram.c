/* SPDX-License-Identifier: MIT */
#include "tables/text/histogram.h"
#include "tests/run_suite.h"

#include <stdlib.h>

START_TEST(empty_one_has_nothing)
{
	struct histogram histogram = HISTOGRAM_EMPTY;

	ck_assert_uint_eq(histogram_quantile(&histogram, 0.5), 0);
	ck_assert_uint_eq(histogram_mean(&histogram), 0);
	histogram_free(&histogram);
}
END_TEST

START_TEST(sums_are_exact)
{
	struct histogram histogram = HISTOGRAM_EMPTY;
	static const uint64_t values[] = { 1000003, 0, 17, UINT64_C(1) << 40 };

	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(histogram_add(&histogram, values[i]), 0);
	ck_assert_uint_eq(histogram.count, 4);
	ck_assert_uint_eq(histogram.total, (UINT64_C(1) << 40) + 1000020);
	ck_assert_uint_eq(histogram.min, 0);
	ck_assert_uint_eq(histogram.max, UINT64_C(1) << 40);
	ck_assert_uint_eq(histogram_mean(&histogram),
			  ((UINT64_C(1) << 40) + 1000020) / 4);
	histogram_free(&histogram);
}
END_TEST

START_TEST(small_values_have_exact_quantiles)
{
	struct histogram histogram = HISTOGRAM_EMPTY;

	for (uint64_t i = 1; i <= 100; i++)
		ck_assert_int_eq(histogram_add(&histogram, i), 0);
	ck_assert_uint_eq(histogram_quantile(&histogram, 0.5), 50);
	ck_assert_uint_eq(histogram_quantile(&histogram, 0.99), 99);
	ck_assert_uint_eq(histogram_quantile(&histogram, 0), 1);
	ck_assert_uint_eq(histogram_quantile(&histogram, 1), 100);
	histogram_free(&histogram);
}
END_TEST

/* Each value is in the bucket that counts it, at most 1 % from its middle; also
 * at powers of two, up to the largest value.
 */
static void check_bucket(uint64_t value)
{
	struct histogram histogram = HISTOGRAM_EMPTY;
	uint64_t middle;
	uint64_t low;
	uint64_t width;

	ck_assert_int_eq(histogram_add(&histogram, value), 0);
	ck_assert_uint_eq(histogram_bucket(&histogram,
					   histogram.buckets.count - 1, &low,
					   &width),
			  1);
	ck_assert_uint_le(low, value);
	ck_assert_uint_le(value - low, width - 1);
	middle = low + width / 2;
	ck_assert_uint_le(
		100 * (value > middle ? value - middle : middle - value) /
			(value / 128 + 1),
		101);
	histogram_free(&histogram);
}

START_TEST(buckets_are_narrow)
{
	uint64_t power = UINT64_C(1) << _i;

	check_bucket(power);
	check_bucket(power - 1);
	check_bucket(power + 1);
	check_bucket(power + power / 3);
	check_bucket(power + (power - 1));
}
END_TEST

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a;
	const uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Against sorting, over eight orders of magnitude. */
START_TEST(quantiles_are_within_one_percent)
{
	enum { COUNT = 20000 };
	static const double quantiles[] = { 0.01, 0.25, 0.5, 0.9, 0.99, 0.999 };
	struct histogram histogram = HISTOGRAM_EMPTY;
	uint64_t *values = calloc(COUNT, sizeof(*values));
	uint64_t state = 88172645463325252;

	for (size_t i = 0; i < COUNT; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		values[i] = (state >> 20) >> (state % 27);
		ck_assert_int_eq(histogram_add(&histogram, values[i]), 0);
	}
	qsort(values, COUNT, sizeof(*values), compare);
	for (size_t i = 0; i < 6; i++) {
		size_t rank = (size_t)(quantiles[i] * COUNT);
		double exact = (double)values[rank - 1];
		double found =
			(double)histogram_quantile(&histogram, quantiles[i]);

		ck_assert_double_ge(found, exact * 0.99 - 1);
		ck_assert_double_le(found, exact * 1.01 + 1);
	}
	free(values);
	histogram_free(&histogram);
}
END_TEST

SUITE("histogram")
{
	TEST(empty_one_has_nothing);
	TEST(sums_are_exact);
	TEST(small_values_have_exact_quantiles);
	TEST_TIMES(buckets_are_narrow, 64);
	TEST(quantiles_are_within_one_percent);
}
