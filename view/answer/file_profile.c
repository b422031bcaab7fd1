/* SPDX-License-Identifier: MIT */
#include "view/answer/file_profile.h"

#include "common/error.h"
#include "view/answer/answer_names.h"
#include "view/answer/thread_part.h"
#include "view/data/call_sums.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 20 };

/* A place, and what was done there in one part. */
struct file_place {
	uint64_t all_ns; /* there and below, in the whole recording */
	uint64_t self_ns;
	uint64_t calls;
	uint32_t kept;	 /* itself, or the nearest caller kept */
	uint32_t number; /* among those that are kept */
	enum profile_part part;
};

struct file_profile {
	const struct view_sources *sources;
	const struct call_sums *calls;
	struct file_place *places;
	uint32_t count;
	uint32_t kept_count;
	struct answer_names *named;
	struct json_out *json;
};

/* Adds the sums of part @index to their places: to the kept ones, or as all
 * time there.
 */
static int add_part(struct file_profile *profile, size_t index, bool is_first)
{
	struct call_part_sums part;
	int status = call_sums_read(profile->calls, index, &part);
	const struct call_sum *sums = part.sums.items;

	for (size_t i = 0; i < part.sums.count && !status; i++) {
		struct file_place *place = &profile->places[sums[i].place];
		struct file_place *kept = &profile->places[place->kept];

		if (is_first) {
			place->all_ns += sums[i].self_ns;
			continue;
		}
		kept->self_ns += sums[i].self_ns;
		/* Calls of what is left out are none of its caller. */
		if (kept == place)
			kept->calls += sums[i].calls;
	}
	array_free(&part.sums);
	return status;
}

/* Adds to each place's time what is below.  Returns the time of all. */
static uint64_t add_below(struct file_profile *profile)
{
	struct file_place *places = profile->places;
	uint64_t all_ns = 0;

	for (uint32_t i = profile->count; i-- > 0;) {
		uint32_t parent = call_sums_place(profile->calls, i).parent;

		if (parent == CALL_PLACE_NONE)
			all_ns += places[i].all_ns;
		else
			places[parent].all_ns += places[i].all_ns;
	}
	return all_ns;
}

/* Decides whether place @index is kept.  One of another part than its caller
 * is, however small: it would count as a part that it is not.
 */
static void choose(struct file_profile *profile, uint32_t index,
		   uint64_t all_ns)
{
	struct call_place place = call_sums_place(profile->calls, index);
	struct file_place *own = &profile->places[index];
	const struct file_place *caller;

	own->kept = index;
	if (place.parent == CALL_PLACE_NONE) {
		own->part = thread_part(profile->sources, place.function);
		return;
	}
	caller = &profile->places[place.parent];
	own->part = profile_part_of_call(profile->sources->kinds,
					 place.function, caller->part);
	if (own->all_ns * FILE_PROFILE_SMALLEST < all_ns &&
	    (!own->all_ns || own->part == caller->part))
		own->kept = caller->kept;
}

/* Decides which places are kept; children come behind their parents. */
static int choose_all(struct file_profile *profile)
{
	uint64_t all_ns;
	int status = 0;

	for (size_t i = 0; i < call_sums_parts(profile->calls) && !status; i++)
		status = add_part(profile, i, true);
	all_ns = add_below(profile);
	for (uint32_t i = 0; i < profile->count; i++)
		choose(profile, i, all_ns);
	return status;
}

/* Writes the number of each kept place's parent (-1: none). */
static void write_parents(struct file_profile *profile)
{
	struct file_place *places = profile->places;
	struct json_out *json = profile->json;
	uint32_t number = 0;

	json_key(json, "parents");
	json_begin(json, "[]");
	for (uint32_t i = 0; i < profile->count; i++) {
		uint32_t parent = call_sums_place(profile->calls, i).parent;

		if (places[i].kept != i)
			continue;
		places[i].number = number++;
		json_signed(
			json,
			parent == CALL_PLACE_NONE ?
				-1 :
				(int64_t)places[places[parent].kept].number);
	}
	json_end(json, "[]");
	profile->kept_count = number;
}

/* Writes each kept place's function; of a root the thread's number. */
static void write_functions(struct file_profile *profile)
{
	struct json_out *json = profile->json;

	json_key(json, "functions");
	json_begin(json, "[]");
	for (uint32_t i = 0; i < profile->count; i++) {
		struct call_place place = call_sums_place(profile->calls, i);

		if (profile->places[i].kept != i)
			continue;
		json_number(json, place.function);
		if (place.parent != CALL_PLACE_NONE)
			answer_names_add(profile->named, place.function);
	}
	json_end(json, "[]");
}

/* Writes the part of each that is kept: of a thread; of a call, where that is
 * another part whoever calls; else -1, for the caller's.
 */
static void write_place_parts(struct file_profile *profile)
{
	const struct context_kinds *kinds = profile->sources->kinds;
	struct json_out *json = profile->json;

	json_key(json, "profile_parts");
	json_begin(json, "[]");
	for (uint32_t i = 0; i < profile->count; i++) {
		struct call_place place = call_sums_place(profile->calls, i);
		enum profile_part part = profile->places[i].part;

		if (profile->places[i].kept != i)
			continue;
		/* No function is of the idle loop by itself. */
		if (place.parent != CALL_PLACE_NONE)
			part = profile_part_of_call(kinds, place.function,
						    PROFILE_IDLE);
		json_signed(json, place.parent != CALL_PLACE_NONE &&
						  part == PROFILE_IDLE ?
					  -1 :
					  (int)part);
	}
	json_end(json, "[]");
}

static void write_places(struct file_profile *profile)
{
	json_key(profile->json, "places");
	json_begin(profile->json, "{}");
	write_parents(profile);
	write_functions(profile);
	write_place_parts(profile);
	json_end(profile->json, "{}");
	json_member_number(profile->json, "left_out_places",
			   profile->count - profile->kept_count);
}

/* Writes the sums since the last call: place, calls, self time. */
static void write_sums(struct file_profile *profile, uint64_t begin_ns,
		       uint64_t end_ns)
{
	struct json_out *json = profile->json;
	uint64_t first_ns = profile->sources->summary->first_ns;

	json_begin(json, "{}");
	json_member_signed(json, "from", (int64_t)(begin_ns - first_ns));
	json_member_signed(json, "to", (int64_t)(end_ns - first_ns));
	json_key(json, "sums");
	json_begin(json, "[]");
	for (uint32_t i = 0; i < profile->count; i++) {
		struct file_place *place = &profile->places[i];

		if (!place->calls && !place->self_ns)
			continue;
		json_number(json, place->number);
		json_number(json, place->calls);
		json_number(json, place->self_ns);
		place->calls = 0;
		place->self_ns = 0;
	}
	json_end(json, "[]");
	json_end(json, "{}");
}

static int write_parts(struct file_profile *profile)
{
	size_t count = call_sums_parts(profile->calls);
	size_t step = count / PARTS_MOST + 1;
	uint64_t begin_ns = 0;
	uint64_t end_ns;
	int status = 0;

	json_key(profile->json, "parts");
	json_begin(profile->json, "[]");
	for (size_t i = 0; i < count && !status; i++) {
		uint64_t part_ns;

		call_sums_when(profile->calls, i, &part_ns, &end_ns);
		if (i % step == 0)
			begin_ns = part_ns;
		status = add_part(profile, i, false);
		if (!status && (i % step == step - 1 || i + 1 == count))
			write_sums(profile, begin_ns, end_ns);
	}
	json_end(profile->json, "[]");
	return status;
}

int file_profile_write(const struct view_sources *sources,
		       struct answer_names *named, struct json_out *json)
{
	const struct call_sums *calls = sources->summary->calls;
	struct file_profile profile = {
		.sources = sources,
		.calls = calls,
		.count = call_sums_places(calls),
		.named = named,
		.json = json,
	};
	int status = -ERROR_MEMORY;

	profile.places =
		calloc((size_t)profile.count + 1, sizeof(*profile.places));
	if (profile.places)
		status = choose_all(&profile);
	if (!status) {
		write_places(&profile);
		status = write_parts(&profile);
	}
	free(profile.places);
	return status;
}
