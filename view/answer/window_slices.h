/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_WINDOW_SLICES_H
#define KT_VIEW_WINDOW_SLICES_H

#include "common/array.h"
#include "report/steps/time_window.h"
#include "view/answer/answer.h"

/* The slices of some lanes that can be seen in a window. */
struct window_slices {
	struct array lanes; /* struct lane_slices */
	bool is_whole;	    /* else short calls are taken together that
				 * could be seen */
};

struct lane_slices {
	struct slice_callback callback;
	uint32_t lane;
	struct array slices; /* struct view_slice */
	struct array longs;  /* the same: from the summary, while the
				 * engine finds those between */
	size_t next_long;
	struct slice_thinner *thinner;
	int status;
};

void window_slices_init(struct window_slices *slices);
void window_slices_free(struct window_slices *slices);

/* Adds a lane that is wanted.  Returns 0 or -ERROR_MEMORY. */
int window_slices_want(struct window_slices *slices, uint32_t lane);

/* Finds them, as can be told apart where a pixel is @pixel_ns.  The
 * summary is locked.
 *
 * Returns 0 or a negative enum error.
 */
int window_slices_find(struct window_slices *slices,
		       const struct view_sources *sources,
		       struct time_window window, uint64_t pixel_ns);

#endif
