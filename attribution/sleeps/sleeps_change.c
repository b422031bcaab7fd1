/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps_parts.h"
#include "attribution/time/call_entries.h"
#include "attribution/time/off_cpu.h"
#include "attribution/time/task_paths.h"
#include "attribution/time/task_time.h"
#include "attribution/time/wait_channels.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"

static int describe(const struct sleeps *sleeps, struct sleep *sleep,
		    const struct sideband_record *call,
		    const struct path_frame *frames,
		    const struct wait_channel *place)
{
	sleep->label = frames[place->label].function;
	if (place->label + 1 < place->depth) {
		sleep->inner = frames[place->label + 1].function;
		sleep->place = frames[place->label + 1].return_address;
	}
	sleep->stack = sleep_stacks_kernel(sleeps->options.stacks, frames,
					   place->depth);
	if (sleep->stack == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	if (call)
		sleep->user_stack =
			sleep_stacks_user(sleeps->options.stacks, call);
	return 0;
}

static int join_waiters(struct sleeps *sleeps, struct sleeper *sleeper,
			uint64_t object)
{
	struct other_waiters others;

	sleeper->place.label = sleeper->sleep.label;
	sleeper->place.object = object;
	if (waiters_enter(&sleeps->waiters, &sleeper->place, &others) < 0)
		return -ERROR_MEMORY;
	sleeper->is_asleep = true;
	sleeper->sleep.others_at_begin = others.at_label;
	sleeper->sleep.same_at_begin = others.for_object;
	return 0;
}

int sleeps_begin(struct sleeps *sleeps, const struct event_record *event)
{
	const struct task *task =
		task_time_task(sleeps->options.time, event->cpu, event->tid);
	int32_t tid = (int32_t)event->values[SWITCH_PREV];
	uint32_t thread = task_time_thread(sleeps->options.time, tid);
	const struct path_frame *frames;
	struct sleeper_call call;
	struct wait_channel place;
	struct sleeper *sleeper;
	size_t count;

	/* The trace has ended. */
	if (thread == UINT32_MAX)
		return 0;
	sleeper = sleeps_sleeper(sleeps, thread);
	if (!sleeper)
		return -ERROR_MEMORY;
	sleeps_hand_out(sleeps, sleeper);
	if (!task)
		return 0;
	frames = task_paths_of(sleeps->options.paths, task->index, &count);
	if (wait_channels_is_end(sleeps->options.places, frames, count,
				 off_is_dead(event->values[SWITCH_PREV_STATE])))
		return 0;
	sleeper_begin(sleeper, task, event->time_ns);
	call = sleeper_call_of(call_entries_find(sleeps->options.calls, tid),
			       sleeps->options.functions, sleeps->options.arch,
			       frames, count);
	sleeper->sleep.fd = call.fd;
	/* Otherwise the trace does not show the sleep: it started before, or
	 * there is a gap.
	 */
	sleeper->sleep.is_cut = !wait_channels_find(sleeps->options.places,
						    frames, count, &place);
	if ((!sleeper->sleep.is_cut &&
	     describe(sleeps, &sleeper->sleep, call.record, frames, &place) <
		     0) ||
	    join_waiters(sleeps, sleeper, call.object) < 0)
		return -ERROR_MEMORY;
	/* The thread was woken while it was entering the scheduler. */
	if (!sleeper->sleep.is_cut &&
	    sleeper->wake_ns >= frames[place.depth - 1].begin_ns)
		sleeps_wake(sleeps, sleeper, sleeper->chain);
	return 0;
}

void sleeps_wake(struct sleeps *sleeps, struct sleeper *sleeper, uint32_t waker)
{
	struct other_waiters others;

	sleeper->sleep.waker = waker;
	if (!sleeper->is_asleep)
		return;
	others = waiters_leave(&sleeps->waiters, &sleeper->place);
	sleeper->is_asleep = false;
	sleeper->sleep.others_at_end = others.at_label;
	sleeper->sleep.same_at_end = others.for_object;
}

/* Switches are recorded before the trace starts, too: sleeps that ended by then
 * are outside the recording.
 */
void sleeps_hand_out(struct sleeps *sleeps, struct sleeper *sleeper)
{
	sleeper->sleep.wake_ns = sleeper->wake_ns;
	sleeper->sleep.waker_task = sleeper->waker;
	if (sleeper->has_sleep && sleeper->has_time)
		sleeps->callback->take(sleeps->callback, &sleeper->sleep);
	sleeper->has_sleep = false;
}

/* If the waker was itself woken while this thread slept, prepends that wake-up
 * to the chain: this thread waited for it, too.
 */
static uint32_t earlier_waker(struct sleeps *sleeps, int32_t waker_tid,
			      const struct sleeper *woken)
{
	const struct sleeper *waker =
		waker_tid > 0 ? sleeps_find(sleeps, waker_tid) : NULL;

	if (!waker || waker->wake_ns <= woken->sleep.begin_ns)
		return WAKER_NONE;
	return waker->chain;
}

/* Returns the chain for a wake-up of @woken by @task, the thread @tid of @pid;
 * both tasks may be unknown.
 */
static uint32_t chain_of(struct sleeps *sleeps, const struct task *task,
			 int32_t pid, int32_t tid, const struct sleeper *woken)
{
	struct wake_source place = { FUNCTION_UNKNOWN, FUNCTION_NONE };
	const struct path_frame *frames;
	struct waker waker;
	size_t count;

	if (task) {
		frames = task_paths_of(sleeps->options.paths, task->index,
				       &count);
		place = wait_channels_wake(sleeps->options.places, frames,
					   count);
	}
	waker = (struct waker){
		.earlier = WAKER_NONE,
		.function = place.function,
		.interrupt = place.interrupt,
		.pid = pid,
		.tid = tid,
	};
	if (place.interrupt == FUNCTION_NONE && woken)
		waker.earlier = earlier_waker(sleeps, tid, woken);
	return wakers_add(sleeps->options.wakers, &waker);
}

int sleeps_wake_up(struct sleeps *sleeps, const struct event_record *event)
{
	int32_t tid = (int32_t)event->values[WAKING_TID];
	const struct task *task =
		task_time_task(sleeps->options.time, event->cpu, event->tid);
	uint32_t thread = task_time_thread(sleeps->options.time, tid);
	struct sleeper *woken;

	if (thread == UINT32_MAX)
		return 0;
	woken = sleeps_sleeper(sleeps, thread);
	if (!woken)
		return -ERROR_MEMORY;
	woken->chain = chain_of(sleeps, task, event->pid, event->tid, woken);
	woken->waker = task;
	woken->wake_ns = event->time_ns;
	if (woken->chain == WAKER_NONE)
		return -ERROR_MEMORY;
	if (woken->is_asleep || !woken->has_sleep)
		sleeps_wake(sleeps, woken, woken->chain);
	return 0;
}

/* Checks whether @step contains a wake-up without an event. */
int sleeps_step(struct sleeps *sleeps, const struct call_step *step)
{
	uint64_t last_ns = task_time_untraced_wakeup(sleeps->options.time);

	if (last_ns == sleeps->untraced_ns)
		return 0;
	sleeps->untraced_ns = last_ns;
	sleeps->untraced_chain = chain_of(sleeps, step->task, step->task->pid,
					  step->task->tid, NULL);
	return sleeps->untraced_chain == WAKER_NONE ? -ERROR_MEMORY : 0;
}

void sleeps_wake_untraced(struct sleeps *sleeps, struct sleeper *sleeper,
			  uint64_t time_ns)
{
	if (time_ns == sleeps->untraced_ns)
		sleeper->chain = sleeps->untraced_chain;
	else
		sleeper->chain = WAKER_NONE;
	sleeper->waker = NULL;
	sleeper->wake_ns = time_ns;
	sleeps_wake(sleeps, sleeper, sleeper->chain);
}
