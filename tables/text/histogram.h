/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_HISTOGRAM_H
#define KT_TABLES_HISTOGRAM_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

/* A distribution of durations: exact count, sum, minimum and maximum, quantiles
 * to within 1 %.
 *
 * Log-linear: 64 equal buckets for each power of two, so that a bucket's middle
 * differs from its values by at most 1/128; values below 128 have buckets of
 * their own. Memory: 8 bytes per bucket up to the largest value's; there are at
 * most 3,776.
 */
struct histogram {
	uint64_t count;
	uint64_t total;
	uint64_t min; /* 0 if count is 0 */
	uint64_t max;
	struct array buckets; /* uint64_t */
};

#define HISTOGRAM_EMPTY ((struct histogram){ .buckets = ARRAY_OF(uint64_t) })

/* Returns 0, or -ERROR_MEMORY: @value is then not counted. */
int histogram_add(struct histogram *histogram, uint64_t value);

/* Returns the value that the share @quantile (0 to 1) of all values do not
 * exceed, by nearest rank; 0 for an empty histogram.
 */
uint64_t histogram_quantile(const struct histogram *histogram, double quantile);

/* Returns the mean, rounded down; 0 for an empty histogram. */
uint64_t histogram_mean(const struct histogram *histogram);

/* Returns the number of values in bucket @index, below buckets.count, and the
 * bucket's bounds: [*@low, *@low + *@width).
 */
uint64_t histogram_bucket(const struct histogram *histogram, size_t index,
			  uint64_t *low, uint64_t *width);

void histogram_free(struct histogram *histogram);

#endif
