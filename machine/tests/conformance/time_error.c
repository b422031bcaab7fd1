/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/time_error.h"

void time_error_add(struct time_error *error, uint64_t decoded, uint64_t truth)
{
	uint64_t size = decoded > truth ? decoded - truth : truth - decoded;

	error->count++;
	if (size > error->max)
		error->max = size;
	if (size >= TIME_ERROR_BINS)
		size = TIME_ERROR_BINS - 1;
	error->bins[size]++;
}

static uint64_t at_rank(const struct time_error *error, uint64_t rank)
{
	uint64_t seen = 0;

	for (uint64_t i = 0; i < TIME_ERROR_BINS - 1; i++) {
		seen += error->bins[i];
		if (seen >= rank)
			return i;
	}
	return error->max;
}

uint64_t time_error_p50(const struct time_error *error)
{
	return at_rank(error, error->count - error->count / 2);
}

uint64_t time_error_p99(const struct time_error *error)
{
	return at_rank(error, error->count - error->count / 100);
}
