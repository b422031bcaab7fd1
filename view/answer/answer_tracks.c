/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "view/answer/answer.h"
#include "view/answer/answer_json_internal.h"
#include "view/data/slice_store.h"
#include "view/make/thread_numbers.h"
#include "view/make/view_builder.h"

#include <errno.h>
#include <stdlib.h>

/* The visible slices of some tracks in a window. */
struct window_slices {
	struct array tracks; /* struct track_slices */
	/* false: slices may be merged that would be visible if decoded */
	bool is_whole;
};

struct track_slices {
	struct slice_callback callback;
	uint32_t track;
	struct array slices; /* struct view_slice */
	/* struct view_slice: long calls from the summary, while the engine
	 * finds shorter ones
	 */
	struct array longs;
	size_t next_long;
	struct slice_thinner *thinner;
	int status;
};

static int engine_slices_find(struct window_slices *slices,
			      const struct view_sources *sources,
			      struct time_window window);

/* Receives the slices from the thinner. */
static void consume(struct slice_callback *callback,
		    const struct view_slice *slice)
{
	struct track_slices *track = (struct track_slices *)callback;

	if (array_append(&track->slices, slice) < 0)
		track->status = -ERROR_MEMORY;
}

static void window_slices_init(struct window_slices *slices)
{
	*slices = (struct window_slices){
		.tracks = ARRAY_OF(struct track_slices),
	};
}

static void window_slices_free(struct window_slices *slices)
{
	for (size_t i = 0; i < slices->tracks.count; i++) {
		struct track_slices *track = array_at(&slices->tracks, i);

		array_free(&track->slices);
		array_free(&track->longs);
		slice_thinner_free(track->thinner);
	}
	array_free(&slices->tracks);
}

/* Adds a wanted track. Returns 0 or -ERROR_MEMORY. */
static int window_slices_want(struct window_slices *slices, uint32_t track)
{
	return array_append(&slices->tracks,
			    &(struct track_slices){
				    .callback = { .consume = consume },
				    .track = track,
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

/* Makes the thinners, which point to the tracks: no track may be added
 * afterwards.
 */
static int make_thinners(struct window_slices *slices, uint64_t pixel_ns)
{
	for (size_t i = 0; i < slices->tracks.count; i++) {
		struct track_slices *track = array_at(&slices->tracks, i);

		track->thinner = slice_thinner_new(pixel_ns, &track->callback);
		if (!track->thinner)
			return -ERROR_MEMORY;
	}
	return 0;
}

static int finish(struct track_slices *track)
{
	int status = slice_thinner_end(track->thinner);

	return status ? status : track->status;
}

/* Returns whether @track has the calls of a thread or of a fiber. */
static bool is_stack(const struct track_slices *track)
{
	return track_has_calls(track->track);
}

/* Finds the slices of the wanted tracks that are visible at @pixel_ns per
 * pixel. The summary must be locked.
 *
 * Returns 0 or a negative enum error.
 */
static int window_slices_find(struct window_slices *slices,
			      const struct view_sources *sources,
			      struct time_window window, uint64_t pixel_ns)
{
	const struct view_summary *summary = sources->summary;
	bool is_deep = pixel_ns < summary->resolution_ns;
	bool decodes = is_deep && sources->engine && summary->is_complete;
	uint32_t level = level_for(summary, pixel_ns);
	int status = make_thinners(slices, pixel_ns);

	slices->is_whole = !is_deep || decodes;
	for (size_t i = 0; i < slices->tracks.count && !status; i++) {
		struct track_slices *track = array_at(&slices->tracks, i);

		if (!decodes || !is_stack(track))
			status = slice_store_read(
				summary->slices, level, track->track, window,
				slice_thinner_callback(track->thinner));
	}
	if (decodes && !status)
		status = engine_slices_find(slices, sources, window);
	for (size_t i = 0; i < slices->tracks.count && !status; i++)
		status = finish(array_at(&slices->tracks, i));
	return status;
}

/* Consumes the engine's call events. */
struct engine_slices {
	struct step_callback callback;
	struct window_slices *slices;
	struct time_window window; /* the wanted window */
	uint64_t decoded_ns;	   /* end of the window to decode */
	/* calls of this length or longer are in the summary */
	uint64_t long_ns;
	struct thread_numbers numbers;
};

/* Collects the long calls of the summary. */
struct long_slices {
	struct slice_callback callback;
	struct track_slices *track;
	uint64_t long_ns;
	int status;
};

static void keep_long(struct slice_callback *callback,
		      const struct view_slice *slice)
{
	struct long_slices *longs = (struct long_slices *)callback;

	if (slice->count > 1 ||
	    slice->end_ns - slice->begin_ns < longs->long_ns)
		return;
	if (array_append(&longs->track->longs, slice) < 0)
		longs->status = -ERROR_MEMORY;
}

static struct track_slices *track_at(const struct window_slices *slices,
				     uint32_t track)
{
	struct track_slices *tracks = slices->tracks.items;

	for (size_t i = 0; i < slices->tracks.count; i++)
		if (tracks[i].track == track)
			return &tracks[i];
	return NULL;
}

static void hand_on(struct track_slices *track, const struct view_slice *slice)
{
	struct slice_callback *callback =
		slice_thinner_callback(track->thinner);

	callback->consume(callback, slice);
}

/* Emits the long calls that end at @end_ns or earlier. */
static void pass_longs(struct track_slices *track, uint64_t end_ns)
{
	const struct view_slice *longs = track->longs.items;

	while (track->next_long < track->longs.count &&
	       longs[track->next_long].end_ns <= end_ns)
		hand_on(track, &longs[track->next_long++]);
}

/* Emits the call that @step ends to track @track, if that is wanted. */
static void emit(struct engine_slices *engine, const struct call_step *step,
		 uint32_t track)
{
	struct track_slices *to = track_at(engine->slices, track);
	struct view_slice slice;

	if (!to || !stack_slice_of(step, 0, &slice) ||
	    slice.begin_ns >= engine->window.until_ns)
		return;
	slice.track = track;
	pass_longs(to, slice.end_ns);
	hand_on(to, &slice);
}

static void consume_step(struct step_callback *callback,
			 const struct call_step *step)
{
	struct engine_slices *engine = (struct engine_slices *)callback;
	uint32_t number;

	if (step->kind != STEP_EXIT || step->wall_ns >= engine->long_ns ||
	    step->time_ns < engine->window.since_ns ||
	    step->time_ns >= engine->decoded_ns)
		return;
	number = thread_numbers_find(&engine->numbers, step->task);
	if (number != THREAD_NUMBER_NONE)
		emit(engine, step, track_of(TRACK_STACK, number));
	number = thread_numbers_fiber(&engine->numbers, step);
	if (number != THREAD_NUMBER_NONE)
		emit(engine, step, track_of(TRACK_FIBER, number));
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	return time_ns >= ((const struct engine_slices *)callback)->decoded_ns;
}

/* Collects the long calls of all stack tracks. Returns the number of these
 * tracks, or a negative enum error.
 */
static int find_longs(struct window_slices *slices,
		      const struct view_sources *sources,
		      struct time_window window)
{
	int count = 0;

	for (size_t i = 0; i < slices->tracks.count; i++) {
		struct long_slices longs = {
			.callback = { .consume = keep_long },
			.track = array_at(&slices->tracks, i),
			.long_ns = sources->summary->resolution_ns,
		};
		int status;

		if (!is_stack(longs.track))
			continue;
		count++;
		status = slice_store_read(sources->summary->slices, 0,
					  longs.track->track, window,
					  &longs.callback);
		if (status < 0 || longs.status < 0)
			return status < 0 ? status : longs.status;
	}
	return count;
}

/* Finds the calls of the wanted stack tracks in @window, down to the shortest,
 * and passes them to the tracks' thinners. Calls from the length of the
 * summary's resolution on, which may exceed the window, are taken from the
 * summary; shorter ones are found by decoding the window.
 *
 * Returns 0 or a negative enum error.
 */
static int engine_slices_find(struct window_slices *slices,
			      const struct view_sources *sources,
			      struct time_window window)
{
	uint64_t long_ns = sources->summary->resolution_ns;
	struct engine_slices engine = {
		.callback = { .consume = consume_step, .is_done = is_done },
		.slices = slices,
		.window = window,
		/* A short call that starts in the window has ended by then. */
		.decoded_ns = window.until_ns + long_ns,
		.long_ns = long_ns,
	};
	int status = find_longs(slices, sources, window);

	if (status <= 0)
		return status;
	status = thread_numbers_init(&engine.numbers, sources->summary, false);
	if (!status)
		status = sources->engine->run(
			sources->engine,
			(struct time_window){ window.since_ns,
					      engine.decoded_ns },
			&engine.callback);
	thread_numbers_free(&engine.numbers);
	for (size_t i = 0; i < slices->tracks.count; i++)
		pass_longs(array_at(&slices->tracks, i), UINT64_MAX);
	return status;
}

enum { PIXELS_MOST = 16384, TRACKS_MOST = 4096 };

/* Parses "tracks", comma-separated numbers. Returns false if they are invalid.
 */
static bool read_tracks(const struct view_request *request,
			struct window_slices *slices)
{
	const char *text = request->argument(request, "tracks");

	while (text && *text) {
		char *end;
		unsigned long track = strtoul(text, &end, 10);

		if (*text < '0' || *text > '9' || track >= TRACK_MOST ||
		    (*end && *end != ',') ||
		    slices->tracks.count >= TRACKS_MOST ||
		    window_slices_want(slices, (uint32_t)track) < 0)
			return false;
		text = *end ? end + 1 : end;
	}
	return text;
}

static void write_track(const struct array *slices, uint32_t track,
			const struct view_summary *summary,
			struct answer_names *named, struct json_out *json)
{
	json_begin(json, "{}");
	json_member_number(json, "track", track);
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
	json_key(json, "tracks");
	json_begin(json, "[]");
	for (size_t i = 0; i < slices->tracks.count; i++) {
		const struct track_slices *track = array_at(&slices->tracks, i);

		write_track(&track->slices, track->track, sources->summary,
			    &named, json);
	}
	json_end(json, "[]");
	answer_names_write(&named, json);
	answer_names_free(&named);
	return 0;
}

enum view_status answer_tracks(const struct view_sources *sources,
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
	    pixels && read_tracks(request, &slices)) {
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
