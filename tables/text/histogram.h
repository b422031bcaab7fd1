/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_HISTOGRAM_H
#define KT_TABLES_HISTOGRAM_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

/* How durations are distributed: count, sum, least and most exactly, quantiles
 * to within 1 %.
 *
 * Log-linear: 64 equal buckets for each power of two, so that a bucket's
 * middle is at most 1/128 away from anything in it; values below 128 have
 * buckets of their own.  Memory: 8 bytes a bucket up to the largest value's,
 * of which there are 3,776 at most.
 */
struct histogram {
	uint64_t count;
	uint64_t total;
	uint64_t min; /* 0 while count is */
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

/* Returns how many values lie in bucket @index, below buckets.count, and the
 * bucket's bounds: [*@low, *@low + *@width).
 */
uint64_t histogram_bucket(const struct histogram *histogram, size_t index,
			  uint64_t *low, uint64_t *width);

void histogram_free(struct histogram *histogram);

#endif
