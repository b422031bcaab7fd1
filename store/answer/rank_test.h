/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_RANK_TEST_H
#define KT_STORE_RANK_TEST_H

#include <stddef.h>

/* Returns how likely two samples of one distribution lie at least as far apart as
 * the @a_count values of @a and the @b_count of @b, on either side: Mann and
 * Whitney's rank test (Annals of Mathematical Statistics 18, 1947), ties by their
 * mean rank.  It asks for no shape of the distribution.  Up to 40 values it is
 * exact, by all ways to share out the ranks; above, the normal approximation,
 * corrected for ties.
 *
 * Returns 1 if a side has no value or all are equal; -1 when out of memory.
 */
double rank_test(const double *a, size_t a_count, const double *b,
		 size_t b_count);

/* Returns the least that rank_test() can be for so many values: of 3 and 3 it is
 * 0.1.
 */
double rank_test_least(size_t a_count, size_t b_count);

/* Turns the @count values of @p, in ascending order, into the share of false
 * finds among all that are as small (Benjamini and Hochberg, Journal of the Royal
 * Statistical Society B 57, 1995).
 */
void rank_test_adjust(double *p, size_t count);

#endif
