/* SPDX-License-Identifier: MIT */
#include "tables/lanes/sleep_lanes.h"

#include "attribution/sleeps/sleeps.h"
#include "report/text/task_names.h"
#include "report/timeline/lane_callback.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/sleep_text.h"
#include "tables/text/table_rows.h"

/* Names that are not functions are numbered after all functions. */
enum own_name { NAME_RUNNABLE, NAME_WAKES };

int sleep_lanes_open(struct sleep_lanes *lanes,
		     const struct lanes_options *options,
		     struct lane_callback *callback)
{
	*lanes = (struct sleep_lanes){ .options = *options,
				       .callback = callback };
	return lane_text_open(&lanes->waker);
}

void sleep_lanes_free(struct sleep_lanes *lanes)
{
	lane_text_free(&lanes->waker);
}

static const struct function_table *
functions_of(const struct sleep_lanes *lanes)
{
	return symbols_functions(lanes->options.input->symbols);
}

static uint32_t own_number(const struct sleep_lanes *lanes, enum own_name name)
{
	return function_count(functions_of(lanes)) + (uint32_t)name;
}

static bool is_wanted(const struct sleep_lanes *lanes,
		      const struct sleep *sleep)
{
	return sleep->asleep_ns + sleep->runnable_ns >= lanes->options.min_ns &&
	       table_wants(lanes->options.input, sleep->task, sleep->begin_ns);
}

static const char *waker_text(struct sleep_lanes *lanes, uint32_t waker,
			      const struct wakers *wakers)
{
	wakers_write(wakers, waker, functions_of(lanes),
		     lanes->options.input->names,
		     lane_text_begin(&lanes->waker));
	return lane_text_end(&lanes->waker);
}

static size_t fill_notes(struct sleep_lanes *lanes, const struct sleep *sleep,
			 const struct wakers *wakers, struct span_note *notes)
{
	const struct function_table *functions = functions_of(lanes);
	size_t count = 0;

	if (sleep->inner != FUNCTION_UNKNOWN && sleep->inner != FUNCTION_NONE)
		notes[count++] = (struct span_note){
			.name = NOTE_INNER,
			.text = function_at(functions, sleep->inner)->name,
		};
	if (sleep->waker != WAKER_NONE)
		notes[count++] = (struct span_note){
			.name = NOTE_WAKER,
			.text = waker_text(lanes, sleep->waker, wakers),
		};
	if (sleep->is_cut)
		notes[count++] = (struct span_note){
			.name = NOTE_IS_CUT,
			.number = 1,
		};
	return count;
}

static void put_asleep(struct sleep_lanes *lanes, const struct lane *lane,
		       const struct sleep *sleep, const struct wakers *wakers)
{
	struct span_note notes[3];
	const struct span span = {
		.time_ns = sleep->begin_ns,
		.number = sleep->label,
		.name = sleep_label_name(functions_of(lanes), sleep->label),
		.category = "sleep",
		.notes = notes,
		.note_count = fill_notes(lanes, sleep, wakers, notes),
	};

	lanes->callback->begin(lanes->callback, lane, &span);
	lanes->callback->end(lanes->callback, lane,
			     sleep->begin_ns + sleep->asleep_ns);
}

/* Returns whether @sleep was ended by its thread's last wake-up and has a known
 * waker.
 */
static bool is_ended_by_last(const struct sleep *sleep)
{
	return sleep->waker_task && sleep->waker != WAKER_NONE &&
	       sleep->wake_ns >= sleep->begin_ns &&
	       sleep->wake_ns <=
		       sleep->begin_ns + sleep->asleep_ns + sleep->runnable_ns;
}

/* Emits the waker's end of the arrow. An arrow must not go back in time: the
 * sleep's times are from the trace, which may differ a little from the event's.
 */
static void put_mark(struct sleep_lanes *lanes, const struct sleep *sleep)
{
	const struct lane lane = { .kind = SPAN_SLEEPS,
				   .task = sleep->waker_task };
	uint64_t wake_ns = sleep->begin_ns + sleep->asleep_ns;
	const struct span_note notes[] = {
		{ .name = NOTE_WOKEN,
		  .text = task_names_comm(lanes->options.input->names,
					  sleep->task->tid, wake_ns) },
		{ .name = NOTE_WOKEN_TID,
		  .number = (uint64_t)sleep->task->tid },
	};
	const struct span span = {
		.time_ns = sleep->wake_ns < wake_ns ? sleep->wake_ns : wake_ns,
		.number = own_number(lanes, NAME_WAKES),
		.name = "wakes",
		.category = "wakeup",
		.flow = lanes->flows,
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(*notes),
	};

	lanes->callback->mark(lanes->callback, &lane, &span);
}

static void put_runnable(struct sleep_lanes *lanes, const struct lane *lane,
			 const struct sleep *sleep, bool has_arrow)
{
	const struct span span = {
		.time_ns = sleep->begin_ns + sleep->asleep_ns,
		.number = own_number(lanes, NAME_RUNNABLE),
		.name = "runnable",
		.category = "runnable",
		.flow = has_arrow ? lanes->flows : 0,
	};

	lanes->callback->begin(lanes->callback, lane, &span);
	lanes->callback->end(lanes->callback, lane,
			     span.time_ns + sleep->runnable_ns);
}

static void put_blocked(struct sleep_lanes *lanes, const struct sleep *sleep)
{
	const struct lane_blocked blocked = {
		.time_ns = sleep->begin_ns + sleep->asleep_ns,
		.tid = sleep->task->tid,
		.function = sleep->label,
	};

	if (sleep->label != FUNCTION_UNKNOWN)
		lanes->callback->blocked(lanes->callback, &blocked);
}

void sleep_lanes_take(struct sleep_lanes *lanes, const struct sleep *sleep,
		      const struct wakers *wakers)
{
	const struct lane lane = { .kind = SPAN_SLEEPS, .task = sleep->task };
	bool has_arrow = is_ended_by_last(sleep);

	if (!is_wanted(lanes, sleep))
		return;
	put_asleep(lanes, &lane, sleep, wakers);
	put_blocked(lanes, sleep);
	lanes->flows += has_arrow;
	if (has_arrow)
		put_mark(lanes, sleep);
	if (has_arrow || sleep->runnable_ns)
		put_runnable(lanes, &lane, sleep, has_arrow);
}
