/* SPDX-License-Identifier: MIT */
#include "view/answer/file_data.h"

#include "common/error.h"
#include "report/text/duration_text.h"
#include "view/answer/answer_names.h"
#include "view/answer/answers.h"
#include "view/answer/file_places.h"
#include "view/answer/file_profile.h"
#include "view/answer/slice_json.h"
#include "view/data/slice_store.h"

/* Approximate size of a slice as JSON; slices may use half of the total size.
 */
enum { SLICE_BYTES = 40, PART_OF_SLICES = 2 };

/* Counts slices, and writes them if json is set. */
struct slice_writer {
	struct slice_callback callback;
	const struct view_summary *summary;
	uint64_t count;
	struct json_out *json; /* NULL: only count */
	struct answer_names *named;
};

static void take(struct slice_callback *callback,
		 const struct view_slice *slice)
{
	struct slice_writer *writer = (struct slice_writer *)callback;

	writer->count++;
	if (writer->json)
		slice_json(slice, writer->summary, writer->named, writer->json);
}

static int read_lane(struct slice_writer *writer, uint32_t level, uint32_t lane)
{
	if (writer->json) {
		json_begin(writer->json, "{}");
		json_member_number(writer->json, "lane", lane);
		json_key(writer->json, "slices");
		json_begin(writer->json, "[]");
	}
	return slice_store_read(writer->summary->slices, level, lane,
				TIME_WINDOW_ALL, &writer->callback);
}

static int read_lanes(struct slice_writer *writer, uint32_t level)
{
	uint32_t lanes = slice_store_lanes(writer->summary->slices, level);
	int status = 0;

	for (uint32_t i = 0; i < lanes && !status; i++) {
		status = read_lane(writer, level, i);
		if (writer->json) {
			json_end(writer->json, "[]");
			json_end(writer->json, "{}");
		}
	}
	return status;
}

/* Returns the first level that fits, or else the last level. */
static uint32_t find_level(const struct view_summary *summary,
			   uint64_t most_bytes)
{
	uint32_t level = 0;

	for (; level + 1 < summary->levels; level++) {
		struct slice_writer writer = {
			.callback = { .take = take },
			.summary = summary,
		};

		if (!read_lanes(&writer, level) &&
		    writer.count * SLICE_BYTES * PART_OF_SLICES <= most_bytes)
			break;
	}
	return level;
}

static void write_notice(const struct view_summary *summary, uint32_t level,
			 struct json_out *json)
{
	struct duration_text shortest =
		duration_text_of(view_summary_resolution(summary, level));
	char text[400];

	snprintf(text, sizeof(text),
		 "A saved page: adjacent slices shorter than %s are merged, "
		 "profiles are of fixed parts of the time, and functions with "
		 "less than 1/%u of all time count as their callers. ktrace-hw "
		 "view shows everything.",
		 shortest.text, FILE_PROFILE_SMALLEST);
	json_member_text(json, "notice", text);
	json_member_number(json, "resolution_ns",
			   view_summary_resolution(summary, level));
}

static int write_slices(const struct view_sources *sources, uint32_t level,
			struct answer_names *named, struct json_out *json)
{
	struct slice_writer writer = {
		.callback = { .take = take },
		.summary = sources->summary,
		.json = json,
		.named = named,
	};
	int status;

	json_key(json, "lanes");
	json_begin(json, "[]");
	status = read_lanes(&writer, level);
	json_end(json, "[]");
	return status;
}

static int write_all(const struct view_sources *sources, uint32_t level,
		     struct json_out *json)
{
	const struct view_request none = { 0 };
	struct answer_names named;
	int status = answer_names_init(&named, sources->functions);

	if (status < 0)
		return status;
	json_begin(json, "{}");
	json_key(json, "recording");
	json_begin(json, "{}");
	if (answer_recording(sources, &none, json) != VIEW_OK)
		status = -ERROR_MEMORY;
	json_end(json, "{}");
	write_notice(sources->summary, level, json);
	if (!status)
		status = write_slices(sources, level, &named, json);
	if (!status)
		status = file_profile_write(sources, &named, json);
	answer_names_write(&named, json);
	json_end(json, "{}");
	answer_names_free(&named);
	return status;
}

int file_data_write(const struct view_sources *sources, uint64_t most_bytes,
		    FILE *out)
{
	struct json_out json = json_out_to(out);
	int status = write_all(sources,
			       find_level(sources->summary, most_bytes), &json);

	json_out_end(&json);
	return status;
}
