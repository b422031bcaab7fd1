/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_WINDOW_SLICES_H
#define KT_VIEW_WINDOW_SLICES_H

#include "common/array.h"
#include "report/steps/call_step.h"
#include "view/answer/answer.h"

/* The visible slices of some lanes in a window. */
struct window_slices {
	struct array lanes; /* struct lane_slices */
	/* false: calls that would be visible alone may be merged */
	bool is_whole;
};

struct lane_slices {
	struct slice_callback callback;
	uint32_t lane;
	struct array slices; /* struct view_slice */
	/* struct view_slice: long calls from the summary, while the engine
	 * finds shorter ones
	 */
	struct array longs;
	size_t next_long;
	struct slice_thinner *thinner;
	int status;
};

void window_slices_init(struct window_slices *slices);
void window_slices_free(struct window_slices *slices);

/* Adds a wanted lane. Returns 0 or -ERROR_MEMORY. */
int window_slices_want(struct window_slices *slices, uint32_t lane);

/* Finds the slices of the wanted lanes that are visible at @pixel_ns per pixel.
 * The summary must be locked.
 *
 * Returns 0 or a negative enum error.
 */
int window_slices_find(struct window_slices *slices,
		       const struct view_sources *sources,
		       struct time_window window, uint64_t pixel_ns);

#endif
