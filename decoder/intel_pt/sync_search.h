/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SYNC_SEARCH_H
#define KT_DECODER_SYNC_SEARCH_H

#include "decoder/intel_pt/intel_packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The synchronisation points of a stream, each of which tells its time: found by
 * their pattern, without reading the packets between them.
 */
struct sync_search {
	const uint8_t *bytes;
	size_t size;
	intel_packet_reach *reach; /* as intel_packet_reach_psb() has it */
	void *ctx;
};

struct sync_point {
	size_t position; /* of its PSB */
	uint64_t ticks;	 /* its TSC */
};

/* Finds the first point at or behind @from that tells its time.  Returns whether
 * there is one.
 */
bool sync_search_next(const struct sync_search *search, size_t from,
		      struct sync_point *point);

/* Finds the last point that is not later than @ticks, by halving: points are in
 * order of time.  In a damaged stream it may be another one.  Returns whether
 * there is one.
 */
bool sync_search_before(const struct sync_search *search, uint64_t ticks,
			struct sync_point *point);

#endif
