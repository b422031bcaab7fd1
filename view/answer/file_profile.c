/* SPDX-License-Identifier: MIT */
#include "view/answer/file_profile.h"

#include "view/answer/answer_names.h"
#include "view/answer/file_places.h"
#include "view/data/call_sums.h"

/* Writes the number of each place's parent (-1: none). */
static void write_parents(const struct array *places, struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "parents");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++)
		json_signed(json, (int32_t)items[i].parent);
	json_end(json, "[]");
}

/* Writes each place's function; for a root the thread's number. */
static void write_functions(const struct array *places,
			    struct answer_names *named, struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "functions");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++) {
		json_number(json, items[i].function);
		if (items[i].path)
			answer_names_add(named, items[i].function);
	}
	json_end(json, "[]");
}

/* Writes each place's profile part: a thread's own part; a call's if its
 * function alone decides it; -1 if it is inherited from the caller.
 */
static void write_profile_parts(const struct array *places,
				const struct context_kinds *kinds,
				struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "profile_parts");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++) {
		enum profile_part part = items[i].part;

		/* No function alone makes a call PROFILE_IDLE, so this value
		 * means the caller's part.
		 */
		if (items[i].path)
			part = profile_part_of_call(kinds, items[i].function,
						    PROFILE_IDLE);
		json_signed(json, items[i].path && part == PROFILE_IDLE ?
					  -1 :
					  (int)part);
	}
	json_end(json, "[]");
}

/* Writes the sums of part @part of the time: place, calls, self time. */
static void write_sums(const struct array *places, size_t part,
		       struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "sums");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++) {
		if (!items[i].calls[part] && !items[i].self_ns[part])
			continue;
		json_number(json, i);
		json_number(json, items[i].calls[part]);
		json_number(json, items[i].self_ns[part]);
	}
	json_end(json, "[]");
}

static void write_parts(const struct file_places *places,
			const struct view_summary *summary,
			struct json_out *json)
{
	size_t count = call_sums_spans(summary->calls, 0);

	json_key(json, "parts");
	json_begin(json, "[]");
	for (size_t i = 0; i < count; i += places->part_cells) {
		size_t next = i + places->part_cells;
		uint64_t begin_ns =
			call_sums_span(summary->calls, 0, i)->begin_ns;
		uint64_t end_ns =
			call_sums_span(summary->calls, 0,
				       (next < count ? next : count) - 1)
				->end_ns;

		json_begin(json, "{}");
		json_member_signed(json, "from",
				   (int64_t)(begin_ns - summary->first_ns));
		json_member_signed(json, "to",
				   (int64_t)(end_ns - summary->first_ns));
		write_sums(&places->places, i / places->part_cells, json);
		json_end(json, "{}");
	}
	json_end(json, "[]");
}

int file_profile_write(const struct view_sources *sources,
		       struct answer_names *named, struct json_out *json)
{
	struct file_places places;
	int status = file_places_find(&places, sources);

	if (!status) {
		json_key(json, "places");
		json_begin(json, "{}");
		write_parents(&places.places, json);
		write_functions(&places.places, named, json);
		write_profile_parts(&places.places, sources->kinds, json);
		json_end(json, "{}");
		json_member_number(json, "left_out_places", places.left_out);
		write_parts(&places, sources->summary, json);
	}
	file_places_free(&places);
	return status;
}
