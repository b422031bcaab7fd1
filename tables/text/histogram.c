/* SPDX-License-Identifier: MIT */
#include "tables/text/histogram.h"

#include "common/error.h"

enum { OCTAVE_BITS = 6, OCTAVE = 1 << OCTAVE_BITS };

static size_t bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < 2 * OCTAVE)
		return value;
	shift = 63 - OCTAVE_BITS - (unsigned int)__builtin_clzll(value);
	return (size_t)shift * OCTAVE + (size_t)(value >> shift);
}

int histogram_add(struct histogram *histogram, uint64_t value)
{
	uint64_t *bucket = array_reach(&histogram->buckets, bucket_of(value));

	if (!bucket)
		return -ERROR_MEMORY;
	++*bucket;
	if (!histogram->count || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count++;
	histogram->total += value;
	return 0;
}

uint64_t histogram_bucket(const struct histogram *histogram, size_t index,
			  uint64_t *low, uint64_t *width)
{
	unsigned int shift =
		index < 2 * OCTAVE ? 0 : (unsigned int)(index / OCTAVE) - 1;

	*low = ((uint64_t)index - (uint64_t)shift * OCTAVE) << shift;
	*width = UINT64_C(1) << shift;
	return *(const uint64_t *)array_at(&histogram->buckets, index);
}

/* The rank counts from 1. */
static uint64_t rank_of(const struct histogram *histogram, double quantile)
{
	double exact = quantile * (double)histogram->count;
	uint64_t rank = (uint64_t)exact;

	if ((double)rank < exact)
		rank++;
	if (rank > histogram->count)
		return histogram->count;
	return rank ? rank : 1;
}

static uint64_t clamp(const struct histogram *histogram, uint64_t value)
{
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
}

uint64_t histogram_quantile(const struct histogram *histogram, double quantile)
{
	uint64_t rank = rank_of(histogram, quantile);
	uint64_t seen = 0;
	uint64_t low;
	uint64_t width;

	for (size_t i = 0; i < histogram->buckets.count; i++) {
		seen += histogram_bucket(histogram, i, &low, &width);
		if (seen >= rank)
			return clamp(histogram, low + width / 2);
	}
	return 0;
}

uint64_t histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? histogram->total / histogram->count : 0;
}

void histogram_free(struct histogram *histogram)
{
	array_free(&histogram->buckets);
	*histogram = HISTOGRAM_EMPTY;
}
