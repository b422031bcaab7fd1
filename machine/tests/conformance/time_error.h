/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TIME_ERROR_H
#define KT_MACHINE_TESTS_TIME_ERROR_H

#include <stdint.h>

/* How far decoded times are from the true ones. */
enum { TIME_ERROR_BINS = 1 << 14 };

struct time_error {
	uint64_t count;
	uint64_t max;			/* TSC ticks */
	uint64_t bins[TIME_ERROR_BINS]; /* one a tick; the last: or more */
};

void time_error_add(struct time_error *error, uint64_t decoded, uint64_t truth);
/* The median, the 99th percentile; time_error.max if beyond the bins. */
uint64_t time_error_p50(const struct time_error *error);
uint64_t time_error_p99(const struct time_error *error);

#endif
