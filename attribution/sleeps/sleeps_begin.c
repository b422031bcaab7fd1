/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeper.h"
#include "attribution/sleeps/sleeps_parts.h"
#include "attribution/sleeps/wait_channels.h"
#include "attribution/sleeps/waiters.h"
#include "attribution/time/task_paths.h"
#include "common/error.h"
#include "report/profile/call_tree.h"

static int describe(struct sleeps *sleeps, struct sleeper *sleeper,
		    const struct path_frame *frames, size_t count)
{
	struct sleep *sleep = &sleeper->sleep;
	struct wait_channel place;

	/* The trace does not show it: it began before, or there is a gap. */
	if (!wait_channels_find(sleeps->options.places, frames, count,
				&place)) {
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

static int join_waiters(struct sleeps *sleeps, struct sleeper *sleeper,
			uint64_t object)
{
	struct other_waiters others;

	sleeper->place.label = sleeper->sleep.label;
	sleeper->place.object = object;
	if (waiters_enter(sleeps->waiters, &sleeper->place, &others) < 0)
		return -ERROR_MEMORY;
	sleeper->is_asleep = true;
	sleeper->sleep.others_at_begin = others.at_label;
	sleeper->sleep.same_at_begin = others.for_object;
	return 0;
}

/* When the scheduler was entered that now takes the task off its CPU. */
static uint64_t schedule_begin(const struct sleeps *sleeps,
			       const struct path_frame *frames, size_t count)
{
	struct wait_channel place;

	return wait_channels_find(sleeps->options.places, frames, count,
				  &place) ?
		       frames[place.depth - 1].begin_ns :
		       UINT64_MAX;
}

int sleeps_begin(struct sleeps *sleeps, const struct event_record *event)
{
	const struct task *task =
		task_paths_task(sleeps->options.paths, event->cpu, event->tid);
	int32_t tid = (int32_t)event->values[SWITCH_PREV];
	struct sleeper *sleeper = sleepers_of(sleeps->sleepers, tid);
	const struct path_frame *frames;
	size_t count;

	if (!sleeper)
		return -ERROR_MEMORY;
	sleeps_hand_out(sleeps, sleeper);
	if (!task)
		return 0;
	frames = task_paths_of(sleeps->options.paths, task->index, &count);
	sleeper_begin(sleeper, task, event->time_ns);
	if (describe(sleeps, sleeper, frames, count) < 0 ||
	    join_waiters(sleeps, sleeper,
			 sleeper_object(sleeper, sleeps->options.functions,
					sleeps->options.arch, frames, count)) <
		    0)
		return -ERROR_MEMORY;
	/* The thread was woken when it was on its way already. */
	if (sleeper->wake_ns >= schedule_begin(sleeps, frames, count))
		sleeps_wake(sleeps, sleeper, sleeper->chain);
	return 0;
}
