/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"

#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeper.h"
#include "attribution/sleeps/sleeps_parts.h"
#include "attribution/sleeps/waiters.h"
#include "attribution/sleeps/wakers.h"
#include "attribution/time/off_cpu.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>

static bool begin(struct sleeps *sleeps)
{
	sleeps->waiters = waiters_new();
	sleeps->wakers = wakers_new();
	sleeps->sleepers = sleepers_new();
	return sleeps->waiters && sleeps->wakers && sleeps->sleepers;
}

struct sleeps *sleeps_new(const struct sleeps_options *options,
			  struct sleep_callback *callback)
{
	struct sleeps *sleeps = calloc(1, sizeof(*sleeps));

	if (!sleeps)
		return NULL;
	sleeps->options = *options;
	sleeps->callback = callback;
	if (begin(sleeps))
		return sleeps;
	sleeps_free(sleeps);
	return NULL;
}

static void forget(struct sleeps *sleeps)
{
	waiters_free(sleeps->waiters);
	wakers_free(sleeps->wakers);
	sleepers_free(sleeps->sleepers);
}

int sleeps_renew(struct sleeps *sleeps)
{
	forget(sleeps);
	sleeps->untraced_ns = 0;
	sleeps->untraced_chain = 0;
	return begin(sleeps) ? 0 : -ERROR_MEMORY;
}

void sleeps_free(struct sleeps *sleeps)
{
	if (!sleeps)
		return;
	forget(sleeps);
	free(sleeps);
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
		return sleeps_wake_up(sleeps, event);
	if (event->event == EVENT_SCHED_SWITCH)
		return is_to_sleep(event) ? sleeps_begin(sleeps, event) : 0;
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
	int status = sleeps_watch(sleeps, step);

	if (status < 0 || step->kind != STEP_LEAVE || step->task->tid <= 0)
		return status;
	sleeper = sleepers_find(sleeps->sleepers, step->task->tid);
	if (sleeper)
		sleeper->has_left = true;
	return 0;
}

static void fall_asleep(struct sleeper *sleeper, const struct time_span *span)
{
	/* The thread slept already when the recording began. */
	if (!sleeper->has_sleep) {
		sleeper_begin(sleeper, span->task, span->begin_ns);
		sleeper->sleep.waker = sleeper->chain;
		sleeper->sleep.is_cut = true;
	}
	sleeper->sleep.asleep_ns += span->end_ns - span->begin_ns;
	sleeper->has_time = true;
}

static void wait_for_cpu(struct sleeps *sleeps, struct sleeper *sleeper,
			 const struct time_span *span)
{
	if (!sleeper->has_sleep)
		return;
	if (sleeper->is_asleep)
		sleeps_wake_untraced(sleeps, sleeper, span->begin_ns);
	sleeper->sleep.runnable_ns += span->end_ns - span->begin_ns;
	sleeper->has_time = true;
}

/* Nobody may have been seen to wake it: perf does so quietly. */
static void run_again(struct sleeps *sleeps, struct sleeper *sleeper)
{
	if (sleeper->is_asleep)
		sleeps_wake(sleeps, sleeper, sleeper->sleep.waker);
	sleeps_hand_out(sleeps, sleeper);
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
		wait_for_cpu(sleeps, sleeper, span);
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
	sleeps_hand_out(sleeps, sleeper);
}

void sleeps_end(struct sleeps *sleeps)
{
	struct sleeper *sleeper;

	for (size_t i = 0; (sleeper = sleepers_at(sleeps->sleepers, i)); i++) {
		sleeper->sleep.is_cut = true;
		sleeps_hand_out(sleeps, sleeper);
	}
}

const struct wakers *sleeps_wakers(const struct sleeps *sleeps)
{
	return sleeps->wakers;
}
