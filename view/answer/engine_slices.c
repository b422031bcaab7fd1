/* SPDX-License-Identifier: MIT */
#include "view/answer/engine_slices.h"

#include "common/error.h"
#include "view/data/slice_store.h"
#include "view/data/slice_thinner.h"
#include "view/make/stack_slice.h"
#include "view/make/thread_numbers.h"

/* Consumes the engine's call events. */
struct engine_slices {
	struct step_callback callback;
	struct window_slices *slices;
	struct time_window window; /* the wanted window */
	uint64_t decoded_ns;	   /* end of the part to decode */
	/* calls of this length or longer are in the summary */
	uint64_t long_ns;
	struct thread_numbers numbers;
};

/* Collects the long calls of the summary. */
struct long_slices {
	struct slice_callback callback;
	struct lane_slices *lane;
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
	if (array_append(&longs->lane->longs, slice) < 0)
		longs->status = -ERROR_MEMORY;
}

static struct lane_slices *lane_at(const struct window_slices *slices,
				   uint32_t lane)
{
	struct lane_slices *lanes = slices->lanes.items;

	for (size_t i = 0; i < slices->lanes.count; i++)
		if (lanes[i].lane == lane)
			return &lanes[i];
	return NULL;
}

static void hand_on(struct lane_slices *lane, const struct view_slice *slice)
{
	struct slice_callback *callback = slice_thinner_callback(lane->thinner);

	callback->take(callback, slice);
}

/* Emits the long calls that end at @end_ns or earlier. */
static void pass_longs(struct lane_slices *lane, uint64_t end_ns)
{
	const struct view_slice *longs = lane->longs.items;

	while (lane->next_long < lane->longs.count &&
	       longs[lane->next_long].end_ns <= end_ns)
		hand_on(lane, &longs[lane->next_long++]);
}

static void take_step(struct step_callback *callback,
		      const struct call_step *step)
{
	struct engine_slices *engine = (struct engine_slices *)callback;
	struct lane_slices *lane;
	struct view_slice slice;
	uint32_t number;

	if (step->kind != STEP_EXIT || step->wall_ns >= engine->long_ns ||
	    step->time_ns < engine->window.since_ns ||
	    step->time_ns >= engine->decoded_ns)
		return;
	number = thread_numbers_find(&engine->numbers, step->task);
	lane = number == THREAD_NUMBER_NONE ?
		       NULL :
		       lane_at(engine->slices, lane_of(LANE_STACK, number));
	if (!lane || !stack_slice_of(step, number, &slice) ||
	    slice.begin_ns >= engine->window.until_ns)
		return;
	pass_longs(lane, slice.end_ns);
	hand_on(lane, &slice);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	return time_ns >= ((const struct engine_slices *)callback)->decoded_ns;
}

/* Collects the long calls of all stack lanes. Returns the number of these
 * lanes, or a negative enum error.
 */
static int find_longs(struct window_slices *slices,
		      const struct view_sources *sources,
		      struct time_window window)
{
	int count = 0;

	for (size_t i = 0; i < slices->lanes.count; i++) {
		struct long_slices longs = {
			.callback = { .take = keep_long },
			.lane = array_at(&slices->lanes, i),
			.long_ns = sources->summary->resolution_ns,
		};
		int status;

		if (longs.lane->lane % LANE_KINDS != LANE_STACK)
			continue;
		count++;
		status = slice_store_read(sources->summary->slices, 0,
					  longs.lane->lane, window,
					  &longs.callback);
		if (status < 0 || longs.status < 0)
			return status < 0 ? status : longs.status;
	}
	return count;
}

int engine_slices_find(struct window_slices *slices,
		       const struct view_sources *sources,
		       struct time_window window)
{
	uint64_t long_ns = sources->summary->resolution_ns;
	struct engine_slices engine = {
		.callback = { .take = take_step, .is_done = is_done },
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
	for (size_t i = 0; i < slices->lanes.count; i++)
		pass_longs(array_at(&slices->lanes, i), UINT64_MAX);
	return status;
}
