/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_POINT_SEARCH_H
#define KT_DECODER_POINT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sync point of a stream with its time. */
struct sync_point {
	size_t position; /* in the stream's bytes */
	uint64_t ticks;
};

/* Access to the timed sync points of a stream, without reading the trace
 * between them.
 */
struct point_search {
	size_t size; /* of the stream */
	/* Finds the first timed sync point at or after @from within the first
	 * @size bytes. Returns whether there is one.
	 */
	bool (*next)(void *ctx, size_t size, size_t from,
		     struct sync_point *point);
	void *ctx;
};

/* Finds the last sync point that is not later than @ticks, by bisection: sync
 * points are ordered by time. In a damaged stream it may find a different one.
 * Returns whether there is one.
 */
bool point_search_before(const struct point_search *search, uint64_t ticks,
			 struct sync_point *point);

#endif
