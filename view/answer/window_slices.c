/* SPDX-License-Identifier: MIT */
#include "view/answer/window_slices.h"

#include "common/error.h"
#include "view/answer/engine_slices.h"
#include "view/data/slice_store.h"
#include "view/data/slice_thinner.h"

#include <stdlib.h>

/* Receives the slices from the thinner. */
static void take(struct slice_callback *callback,
		 const struct view_slice *slice)
{
	struct lane_slices *lane = (struct lane_slices *)callback;

	if (array_append(&lane->slices, slice) < 0)
		lane->status = -ERROR_MEMORY;
}

void window_slices_init(struct window_slices *slices)
{
	*slices = (struct window_slices){
		.lanes = ARRAY_OF(struct lane_slices),
	};
}

void window_slices_free(struct window_slices *slices)
{
	for (size_t i = 0; i < slices->lanes.count; i++) {
		struct lane_slices *lane = array_at(&slices->lanes, i);

		array_free(&lane->slices);
		array_free(&lane->longs);
		slice_thinner_free(lane->thinner);
	}
	array_free(&slices->lanes);
}

int window_slices_want(struct window_slices *slices, uint32_t lane)
{
	return array_append(&slices->lanes,
			    &(struct lane_slices){
				    .callback = { .take = take },
				    .lane = lane,
				    .slices = ARRAY_OF(struct view_slice),
				    .longs = ARRAY_OF(struct view_slice),
			    });
}

/* Returns the last level that still has all slices visible at @pixel_ns per
 * pixel.
 */
static uint32_t level_for(const struct view_summary *summary, uint64_t pixel_ns)
{
	uint32_t level = 0;

	while (level + 1 < summary->levels &&
	       view_summary_resolution(summary, level + 1) <= pixel_ns)
		level++;
	return level;
}

/* No lane may be added afterwards: the thinners point to the lanes. */
static int make_thinners(struct window_slices *slices, uint64_t pixel_ns)
{
	for (size_t i = 0; i < slices->lanes.count; i++) {
		struct lane_slices *lane = array_at(&slices->lanes, i);

		lane->thinner = slice_thinner_new(pixel_ns, &lane->callback);
		if (!lane->thinner)
			return -ERROR_MEMORY;
	}
	return 0;
}

static int finish(struct lane_slices *lane)
{
	int status = slice_thinner_end(lane->thinner);

	return status ? status : lane->status;
}

static bool is_stack(const struct lane_slices *lane)
{
	return lane->lane % LANE_KINDS == LANE_STACK;
}

int window_slices_find(struct window_slices *slices,
		       const struct view_sources *sources,
		       struct time_window window, uint64_t pixel_ns)
{
	const struct view_summary *summary = sources->summary;
	bool is_deep = pixel_ns < summary->resolution_ns;
	bool decodes = is_deep && sources->engine && summary->is_complete;
	uint32_t level = level_for(summary, pixel_ns);
	int status = make_thinners(slices, pixel_ns);

	slices->is_whole = !is_deep || decodes;
	for (size_t i = 0; i < slices->lanes.count && !status; i++) {
		struct lane_slices *lane = array_at(&slices->lanes, i);

		if (!decodes || !is_stack(lane))
			status = slice_store_read(
				summary->slices, level, lane->lane, window,
				slice_thinner_callback(lane->thinner));
	}
	if (decodes && !status)
		status = engine_slices_find(slices, sources, window);
	for (size_t i = 0; i < slices->lanes.count && !status; i++)
		status = finish(array_at(&slices->lanes, i));
	return status;
}
