/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps.h"

#include "attribution/crowd.h"
#include "attribution/known_events.h"
#include "attribution/off_cpu.h"
#include "attribution/sleep_stacks.h"
#include "attribution/sleeper.h"
#include "attribution/task_paths.h"
#include "attribution/wait_places.h"
#include "attribution/wakers.h"
#include "common/error.h"
#include "decoder/sideband.h"
#include "report/call_tree.h"
#include "symbolize/function_table.h"

#include <stdlib.h>

struct sleeps {
	struct sleeps_options options;
	struct sleep_sink *sink;
	struct crowd *crowd;
	struct wakers *wakers;
	struct sleepers *sleepers;
};

struct sleeps *sleeps_new(const struct sleeps_options *options,
			  struct sleep_sink *sink)
{
	struct sleeps *sleeps = calloc(1, sizeof(*sleeps));

	if (!sleeps)
		return NULL;
	sleeps->options = *options;
	sleeps->sink = sink;
	sleeps->crowd = crowd_new();
	sleeps->wakers = wakers_new();
	sleeps->sleepers = sleepers_new();
	if (sleeps->crowd && sleeps->wakers && sleeps->sleepers)
		return sleeps;
	sleeps_free(sleeps);
	return NULL;
}

void sleeps_free(struct sleeps *sleeps)
{
	if (!sleeps)
		return;
	crowd_free(sleeps->crowd);
	wakers_free(sleeps->wakers);
	sleepers_free(sleeps->sleepers);
	free(sleeps);
}

static int describe(struct sleeps *sleeps, struct sleeper *sleeper,
		    const struct path_frame *frames, size_t count)
{
	struct sleep *sleep = &sleeper->sleep;
	struct wait_place place;

	/* The trace does not show it: it began before, or there is a gap. */
	if (!wait_places_find(sleeps->options.places, frames, count, &place)) {
		sleep->is_cut = true;
		return 0;
	}
	sleep->label = frames[place.label].function;
	if (place.label + 1 < place.depth) {
		sleep->inner = frames[place.label + 1].function;
		sleep->place = frames[place.label + 1].return_address;
	}
	sleep->stack = sleep_stacks_kernel(sleeps->options.stacks, frames,
					   place.depth);
	if (sleep->stack == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	if (sleeper_is_in_call(sleeper, frames, count))
		sleep->user_stack = sleep_stacks_user(sleeps->options.stacks,
						      &sleeper->enter);
	return 0;
}

static int join_crowd(struct sleeps *sleeps, struct sleeper *sleeper,
		      uint64_t object)
{
	struct crowd_others others;

	sleeper->place.label = sleeper->sleep.label;
	sleeper->place.object = object;
	if (crowd_enter(sleeps->crowd, &sleeper->place, &others) < 0)
		return -ERROR_MEMORY;
	sleeper->is_asleep = true;
	sleeper->sleep.others_at_begin = others.at_label;
	sleeper->sleep.same_at_begin = others.for_object;
	return 0;
}

static void wake(struct sleeps *sleeps, struct sleeper *sleeper, uint32_t waker)
{
	struct crowd_others others;

	sleeper->sleep.waker = waker;
	if (!sleeper->is_asleep)
		return;
	others = crowd_leave(sleeps->crowd, &sleeper->place);
	sleeper->is_asleep = false;
	sleeper->sleep.others_at_end = others.at_label;
	sleeper->sleep.same_at_end = others.for_object;
}

/* Switches are recorded before the trace begins, too: what had ended by then
 * is nobody's time.
 */
static void hand_out(struct sleeps *sleeps, struct sleeper *sleeper)
{
	if (sleeper->has_sleep && sleeper->has_time)
		sleeps->sink->take(sleeps->sink, &sleeper->sleep);
	sleeper->has_sleep = false;
}

/* When the scheduler was entered that now takes the task off its CPU. */
static uint64_t schedule_begin(const struct sleeps *sleeps,
			       const struct path_frame *frames, size_t count)
{
	struct wait_place place;

	return wait_places_find(sleeps->options.places, frames, count, &place) ?
		       frames[place.depth - 1].begin_ns :
		       UINT64_MAX;
}

static int go_to_sleep(struct sleeps *sleeps, const struct event_record *event)
{
	const struct task *task =
		task_paths_task(sleeps->options.paths, event->cpu, event->tid);
	int32_t tid = (int32_t)event->values[SWITCH_PREV];
	struct sleeper *sleeper = sleepers_of(sleeps->sleepers, tid);
	const struct path_frame *frames;
	size_t count;

	if (!sleeper)
		return -ERROR_MEMORY;
	hand_out(sleeps, sleeper);
	if (!task)
		return 0;
	frames = task_paths_of(sleeps->options.paths, task->index, &count);
	sleeper_begin(sleeper, task, event->time_ns);
	if (describe(sleeps, sleeper, frames, count) < 0 ||
	    join_crowd(sleeps, sleeper,
		       sleeper_object(sleeper, sleeps->options.functions,
				      sleeps->options.arch, frames, count)) < 0)
		return -ERROR_MEMORY;
	/* It was woken when it was on its way already. */
	if (sleeper->wake_ns >= schedule_begin(sleeps, frames, count))
		wake(sleeps, sleeper, sleeper->chain);
	return 0;
}

/* Who woke the waker is part of the chain if that was while the woken slept:
 * it is what that waited for, too.
 */
static uint32_t earlier_waker(struct sleeps *sleeps, int32_t waker_tid,
			      const struct sleeper *woken)
{
	const struct sleeper *waker =
		waker_tid > 0 ? sleepers_find(sleeps->sleepers, waker_tid) :
				NULL;

	if (!waker || waker->wake_ns <= woken->sleep.begin_ns)
		return WAKER_NONE;
	return waker->chain;
}

static int wake_up(struct sleeps *sleeps, const struct event_record *event)
{
	int32_t tid = (int32_t)event->values[WAKING_TID];
	const struct task *task =
		task_paths_task(sleeps->options.paths, event->cpu, event->tid);
	struct sleeper *woken = sleepers_of(sleeps->sleepers, tid);
	struct wake_place place = { FUNCTION_UNKNOWN, FUNCTION_NONE };
	const struct path_frame *frames;
	struct waker waker;
	size_t count;

	if (!woken)
		return -ERROR_MEMORY;
	if (task) {
		frames = task_paths_of(sleeps->options.paths, task->index,
				       &count);
		place = wait_places_wake(sleeps->options.places, frames, count);
	}
	waker = (struct waker){
		.earlier = WAKER_NONE,
		.function = place.function,
		.interrupt = place.interrupt,
		.pid = event->pid,
		.tid = event->tid,
	};
	if (place.interrupt == FUNCTION_NONE)
		waker.earlier = earlier_waker(sleeps, event->tid, woken);
	woken->chain = wakers_add(sleeps->wakers, &waker);
	woken->wake_ns = event->time_ns;
	if (woken->chain == WAKER_NONE)
		return -ERROR_MEMORY;
	if (woken->is_asleep || !woken->has_sleep)
		wake(sleeps, woken, woken->chain);
	return 0;
}

static bool is_to_sleep(const struct event_record *event)
{
	int64_t state = event->values[SWITCH_PREV_STATE];

	return event->values[SWITCH_PREV] > 0 && !off_is_dead(state) &&
	       off_how_of(state) == OFF_ASLEEP;
}

int sleeps_event(struct sleeps *sleeps, const struct event_record *event)
{
	struct sleeper *sleeper;

	if (event->event == EVENT_SCHED_WAKING)
		return wake_up(sleeps, event);
	if (event->event == EVENT_SCHED_SWITCH)
		return is_to_sleep(event) ? go_to_sleep(sleeps, event) : 0;
	if (event->event != EVENT_SYS_ENTER)
		return 0;
	sleeper = sleepers_of(sleeps->sleepers, event->tid);
	if (!sleeper)
		return -ERROR_MEMORY;
	sleeper->enter = *event->sideband;
	sleeper->argument = (uint64_t)event->values[SYSTEM_CALL_ARGUMENT];
	return 0;
}

int sleeps_step(struct sleeps *sleeps, const struct call_step *step)
{
	struct sleeper *sleeper;

	if (step->kind != STEP_LEAVE || step->task->tid <= 0)
		return 0;
	sleeper = sleepers_find(sleeps->sleepers, step->task->tid);
	if (sleeper)
		sleeper->has_left = true;
	return 0;
}

static void fall_asleep(struct sleeper *sleeper, const struct time_span *span)
{
	/* It slept already when the recording began. */
	if (!sleeper->has_sleep) {
		sleeper_begin(sleeper, span->task, span->begin_ns);
		sleeper->sleep.waker = sleeper->chain;
		sleeper->sleep.is_cut = true;
	}
	sleeper->sleep.asleep_ns += span->end_ns - span->begin_ns;
	sleeper->has_time = true;
}

static void wait_for_cpu(struct sleeper *sleeper, const struct time_span *span)
{
	if (!sleeper->has_sleep)
		return;
	sleeper->sleep.runnable_ns += span->end_ns - span->begin_ns;
	sleeper->has_time = true;
}

/* Nobody may have been seen to wake it: perf does so quietly. */
static void run_again(struct sleeps *sleeps, struct sleeper *sleeper)
{
	if (sleeper->is_asleep)
		wake(sleeps, sleeper, sleeper->sleep.waker);
	hand_out(sleeps, sleeper);
	sleeper->has_left = false;
}

int sleeps_span(struct sleeps *sleeps, const struct time_span *span)
{
	struct sleeper *sleeper =
		sleepers_of(sleeps->sleepers, span->task->tid);

	if (!sleeper)
		return -ERROR_MEMORY;
	if (span->time_class == TIME_ASLEEP) {
		fall_asleep(sleeper, span);
	} else if (span->time_class == TIME_RUNNABLE) {
		wait_for_cpu(sleeper, span);
	} else if (sleeper->has_left) {
		run_again(sleeps, sleeper);
	}
	return 0;
}

void sleeps_flush(struct sleeps *sleeps, int32_t tid)
{
	struct sleeper *sleeper = sleepers_find(sleeps->sleepers, tid);

	if (!sleeper || !sleeper->has_sleep)
		return;
	sleeper->sleep.is_cut = true;
	hand_out(sleeps, sleeper);
}

void sleeps_end(struct sleeps *sleeps)
{
	struct sleeper *sleeper;

	for (size_t i = 0; (sleeper = sleepers_at(sleeps->sleepers, i)); i++) {
		sleeper->sleep.is_cut = true;
		hand_out(sleeps, sleeper);
	}
}

const struct wakers *sleeps_wakers(const struct sleeps *sleeps)
{
	return sleeps->wakers;
}
