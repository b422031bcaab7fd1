/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"

#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps_parts.h"
#include "attribution/time/off_cpu.h"
#include "attribution/time/task_time.h"
#include "common/error.h"

#include <stdlib.h>

struct sleeps *sleeps_new(const struct sleeps_options *options,
			  struct sleep_callback *callback)
{
	struct sleeps *sleeps = calloc(1, sizeof(*sleeps));

	if (!sleeps)
		return NULL;
	sleeps->options = *options;
	sleeps->callback = callback;
	sleeps->sleepers = ARRAY_OF(struct sleeper);
	return sleeps;
}

void sleeps_renew(struct sleeps *sleeps)
{
	waiters_free(&sleeps->waiters);
	array_free(&sleeps->sleepers);
	sleeps->untraced_ns = 0;
	sleeps->untraced_chain = 0;
}

void sleeps_free(struct sleeps *sleeps)
{
	if (!sleeps)
		return;
	sleeps_renew(sleeps);
	free(sleeps);
}

static bool is_to_sleep(const struct event_record *event)
{
	int64_t state = event->values[SWITCH_PREV_STATE];

	return event->values[SWITCH_PREV] > 0 &&
	       off_how_of(state) == OFF_ASLEEP;
}

int sleeps_event(struct sleeps *sleeps, const struct event_record *event)
{
	if (event->event == EVENT_SCHED_WAKING)
		return sleeps_wake_up(sleeps, event);
	if (event->event == EVENT_SCHED_SWITCH && is_to_sleep(event))
		return sleeps_begin(sleeps, event);
	return 0;
}

static void fall_asleep(struct sleeper *sleeper, const struct time_span *span)
{
	/* The thread already slept when the recording started. */
	if (!sleeper->has_sleep) {
		sleeper_begin(sleeper, span->task, span->begin_ns);
		sleeper->sleep.waker = sleeper->chain;
		sleeper->sleep.is_cut = true;
	}
	if (!sleeper->sleep.asleep_ns)
		sleeper->sleep.off_ns = span->begin_ns;
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

/* The wake-up may have had no event: perf's have none. */
static void run_again(struct sleeps *sleeps, struct sleeper *sleeper)
{
	if (sleeper->is_asleep)
		sleeps_wake(sleeps, sleeper, sleeper->sleep.waker);
	sleeps_hand_out(sleeps, sleeper);
}

/* Returns whether @span is time on a CPU before the known sleep. */
static bool is_before(const struct sleeps *sleeps,
		      const struct sleeper *sleeper,
		      const struct time_span *span)
{
	return span->end_ns <= sleeper->sleep.begin_ns ||
	       task_time_falls_asleep(sleeps->options.time, span->thread);
}

int sleeps_span(struct sleeps *sleeps, const struct time_span *span)
{
	struct sleeper *sleeper = sleeps_sleeper(sleeps, span->thread);

	if (!sleeper)
		return -ERROR_MEMORY;
	if (span->time_class == TIME_ASLEEP) {
		fall_asleep(sleeper, span);
	} else if (span->time_class == TIME_RUNNABLE) {
		wait_for_cpu(sleeps, sleeper, span);
	} else if (!is_before(sleeps, sleeper, span)) {
		run_again(sleeps, sleeper);
	}
	return 0;
}

void sleeps_flush(struct sleeps *sleeps, int32_t tid)
{
	struct sleeper *sleeper = sleeps_find(sleeps, tid);

	if (!sleeper || !sleeper->has_sleep)
		return;
	sleeper->sleep.is_cut = true;
	sleeps_hand_out(sleeps, sleeper);
}

void sleeps_end(struct sleeps *sleeps)
{
	for (size_t i = 0; i < sleeps->sleepers.count; i++) {
		struct sleeper *sleeper = array_at(&sleeps->sleepers, i);

		sleeper->sleep.is_cut = true;
		sleeps_hand_out(sleeps, sleeper);
	}
}
