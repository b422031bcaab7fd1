/* SPDX-License-Identifier: MIT */
#include "decoder/flow/point_search.h"

enum {
	/* Range that is not bisected any more: it contains few sync points. */
	NEAR_BYTES = 1 << 14,
};

static bool find_next(const struct point_search *search, size_t from,
		      struct sync_point *point)
{
	return search->next(search->ctx, search->size, from, point);
}

/* Advances @point to the last one that is not later than @ticks, which is near.
 */
static void go_near(const struct point_search *search, uint64_t ticks,
		    struct sync_point *point)
{
	struct sync_point next;

	while (find_next(search, point->position + 1, &next) &&
	       next.ticks <= ticks)
		*point = next;
}

bool point_search_before(const struct point_search *search, uint64_t ticks,
			 struct sync_point *point)
{
	/* The second half is not searched again if sync points are rare. */
	struct point_search left = *search;
	struct sync_point middle;

	if (!find_next(search, 0, point) || point->ticks > ticks)
		return false;
	while (left.size - point->position > NEAR_BYTES) {
		size_t half =
			point->position + (left.size - point->position) / 2;

		if (find_next(&left, half, &middle) && middle.ticks <= ticks)
			*point = middle;
		else
			left.size = half;
	}
	go_near(search, ticks, point);
	return true;
}
