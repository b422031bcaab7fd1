/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SYNC_SEARCH_H
#define KT_DECODER_SYNC_SEARCH_H

#include "decoder/flow/point_search.h"
#include "decoder/recording/intel_psb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sync points of a stream with their times, found by their pattern, without
 * reading the packets between them.
 */
struct sync_search {
	const uint8_t *bytes; /* used without reach */
	size_t size;
	intel_psb_reach_bytes *reach; /* as for intel_psb_reach() */
	void *ctx;
	uint64_t origin; /* of ticks: see struct time_conversion */
};

/* Finds the first sync point at or after @from with a time: its PSB and its
 * TSC. Returns whether there is one.
 */
bool sync_search_next(const struct sync_search *search, size_t from,
		      struct sync_point *point);

/* As point_search_before(). */
bool sync_search_before(const struct sync_search *search, uint64_t ticks,
			struct sync_point *point);

#endif
