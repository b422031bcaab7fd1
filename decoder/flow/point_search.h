/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_POINT_SEARCH_H
#define KT_DECODER_POINT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A synchronisation point of a stream that tells its time. */
struct sync_point {
	size_t position; /* in the stream's bytes */
	uint64_t ticks;
};

/* The points of a stream, found one by one without reading all that is between
 * them.
 */
struct point_search {
	size_t size; /* of the stream */
	/* Finds the first point at or behind @from that tells its time and lies
	 * in the first @size bytes.  Returns whether there is one.
	 */
	bool (*next)(void *ctx, size_t size, size_t from,
		     struct sync_point *point);
	void *ctx;
};

/* Finds the last point that is not later than @ticks, by halving: points are in
 * order of time.  In a damaged stream it may be another one.  Returns whether
 * there is one.
 */
bool point_search_before(const struct point_search *search, uint64_t ticks,
			 struct sync_point *point);

#endif
