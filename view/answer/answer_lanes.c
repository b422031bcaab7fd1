/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "view/answer/answer_names.h"
#include "view/answer/answers.h"
#include "view/answer/request.h"
#include "view/answer/slice_json.h"
#include "view/answer/window_slices.h"
#include "view/data/slice_store.h"

#include <errno.h>
#include <stdlib.h>

enum { PIXELS_MOST = 16384, LANES_MOST = 4096 };

/* Parses "lanes", comma-separated numbers. Returns false if they are invalid.
 */
static bool read_lanes(const struct view_request *request,
		       struct window_slices *slices)
{
	const char *text = request->argument(request, "lanes");

	while (text && *text) {
		char *end;
		unsigned long lane = strtoul(text, &end, 10);

		if (*text < '0' || *text > '9' || lane >= LANE_MOST ||
		    (*end && *end != ',') ||
		    slices->lanes.count >= LANES_MOST ||
		    window_slices_want(slices, (uint32_t)lane) < 0)
			return false;
		text = *end ? end + 1 : end;
	}
	return text;
}

static void write_lane(const struct array *slices, uint32_t lane,
		       const struct view_summary *summary,
		       struct answer_names *named, struct json_out *json)
{
	json_begin(json, "{}");
	json_member_number(json, "lane", lane);
	json_key(json, "slices");
	json_begin(json, "[]");
	for (size_t i = 0; i < slices->count; i++)
		slice_json(array_at(slices, i), summary, named, json);
	json_end(json, "[]");
	json_end(json, "{}");
}

static int write_slices(const struct view_sources *sources,
			const struct window_slices *slices,
			struct json_out *json)
{
	struct answer_names named;

	if (answer_names_init(&named, sources->functions) < 0)
		return -ERROR_MEMORY;
	json_member_bool(json, "is_whole", slices->is_whole);
	json_key(json, "lanes");
	json_begin(json, "[]");
	for (size_t i = 0; i < slices->lanes.count; i++) {
		const struct lane_slices *lane = array_at(&slices->lanes, i);

		write_lane(&lane->slices, lane->lane, sources->summary, &named,
			   json);
	}
	json_end(json, "[]");
	answer_names_write(&named, json);
	answer_names_free(&named);
	return 0;
}

enum view_status answer_lanes(const struct view_sources *sources,
			      const struct view_request *request,
			      struct json_out *json)
{
	enum view_status status = VIEW_BAD;
	struct window_slices slices;
	struct time_window window;
	uint64_t pixels;

	window_slices_init(&slices);
	if (request_window(request, sources->summary, &window) &&
	    request_number(request, "pixels", PIXELS_MOST, 1024, &pixels) &&
	    pixels && read_lanes(request, &slices)) {
		uint64_t pixel_ns =
			(window.until_ns - window.since_ns) / pixels;

		status = VIEW_FAILED;
		if (!window_slices_find(&slices, sources, window, pixel_ns) &&
		    !write_slices(sources, &slices, json))
			status = VIEW_OK;
	}
	window_slices_free(&slices);
	return status;
}
