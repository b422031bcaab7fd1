/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TIME_ERROR_H
#define KT_MACHINE_TESTS_TIME_ERROR_H

#include <stdint.h>

/* Distribution of the differences between decoded and true times. */
enum { TIME_ERROR_BINS = 1 << 14 };

struct time_error {
	uint64_t count;
	uint64_t max;			/* TSC ticks */
	uint64_t bins[TIME_ERROR_BINS]; /* one per tick; the last: or more */
};

void time_error_add(struct time_error *error, uint64_t decoded, uint64_t truth);
/* Return the median and the 99th percentile, or error->max if beyond the bins.
 */
uint64_t time_error_p50(const struct time_error *error);
uint64_t time_error_p99(const struct time_error *error);

#endif
