/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_RANK_TEST_H
#define KT_STORE_RANK_TEST_H

#include <stddef.h>

/* Returns the probability that two samples from one distribution differ at
 * least as much as the @a_count values of @a and the @b_count values of @b, in
 * either direction: the Mann-Whitney rank test (Annals of Mathematical
 * Statistics 18, 1947), with mean ranks for ties. It assumes no shape of the
 * distribution. For up to 40 values the result is exact (all assignments of
 * ranks are counted); for more, it is the normal approximation, corrected for
 * ties.
 *
 * Returns 1 if a side has no value or all values are equal; -1 when out of
 * memory.
 */
double rank_test(const double *a, size_t a_count, const double *b,
		 size_t b_count);

/* Returns the smallest possible result of rank_test() for these sample sizes:
 * 0.1 for 3 and 3.
 */
double rank_test_least(size_t a_count, size_t b_count);

/* Replaces the @count ascending values of @p by the expected share of false
 * positives among all values up to each (Benjamini and Hochberg, Journal of the
 * Royal Statistical Society B 57, 1995).
 */
void rank_test_adjust(double *p, size_t count);

#endif
