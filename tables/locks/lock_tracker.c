/* SPDX-License-Identifier: MIT */
#include "tables/locks/lock_tracker.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/time/call_entries.h"
#include "attribution/time/task_paths.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/locks/lock_waits.h"
#include "tables/table.h"
#include "tables/text/table_rows.h"

#include <stdlib.h>

struct lock_tracker {
	struct event_handler handler;
	const struct attribution_input *input;
	struct lock_waits waits;
	const struct task_paths *paths;
	const struct wait_channels *places;
	uint32_t futex_wait; /* kernel/futex/waitwake.c of Linux 5.16 and newer,
			      * kernel/futex.c before */
	const struct call_entries *calls; /* whose first argument is the word */
	int status;
};

static void note(struct lock_tracker *tracker, int status)
{
	if (status < 0)
		tracker->status = status;
}

/* Returns the function of @task that wants the lock: the innermost outside of
 * locks and scheduler.
 */
static uint32_t function_of(const struct lock_tracker *tracker,
			    const struct task *task)
{
	size_t count = 0;
	const struct path_frame *path =
		task ? task_paths_of(tracker->paths, task->index, &count) :
		       NULL;

	return wait_channels_caller(tracker->places, path, count);
}

static void take_futex(struct lock_tracker *tracker,
		       const struct call_step *step)
{
	const struct task *task = step->task;
	const struct call_entry *call =
		call_entries_find(tracker->calls, task->tid);
	const struct lock_name lock = {
		.address = call ? call->arguments[0] : 0,
		.pid = task->pid,
		.kind = LOCK_FUTEX,
	};

	if (step->kind == STEP_ENTER &&
	    table_wants(tracker->input, task, step->time_ns))
		note(tracker,
		     lock_waits_begin(&tracker->waits, task->tid, &lock,
				      step->function, step->time_ns));
	else if (step->kind == STEP_EXIT)
		note(tracker, lock_waits_end(&tracker->waits, task->tid, &lock,
					     step->time_ns));
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct lock_tracker *tracker = (struct lock_tracker *)handler;

	if ((step->kind == STEP_ENTER || step->kind == STEP_EXIT) &&
	    step->function == tracker->futex_wait)
		take_futex(tracker, step);
}

static void take_contention(struct lock_tracker *tracker,
			    const struct event_record *event)
{
	const struct task *task =
		task_paths_task(tracker->paths, event->cpu, event->tid);
	const struct lock_name lock = {
		.address = (uint64_t)event->values[LOCK_ADDRESS],
		.pid = -1,
		.kind = (uint8_t)lock_kind_of(event->values[LOCK_FLAGS]),
	};

	if (event->event == EVENT_LOCK_END)
		note(tracker, lock_waits_end(&tracker->waits, event->tid, &lock,
					     event->time_ns));
	else if (task && table_wants(tracker->input, task, event->time_ns))
		note(tracker,
		     lock_waits_begin(&tracker->waits, event->tid, &lock,
				      function_of(tracker, task),
				      event->time_ns));
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct lock_tracker *tracker = (struct lock_tracker *)handler;

	if (event->event == EVENT_SCHED_WAKING)
		lock_waits_wake(&tracker->waits,
				(int32_t)event->values[WAKING_TID], event->tid);
	else if (event->event == EVENT_LOCK_BEGIN ||
		 event->event == EVENT_LOCK_END)
		take_contention(tracker, event);
}

void lock_tracker_free(struct lock_tracker *tracker)
{
	if (!tracker)
		return;
	lock_waits_close(&tracker->waits);
	free(tracker);
}

struct lock_tracker *lock_tracker_new(const struct attribution_input *input,
				      struct lock_callback *callback)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	struct lock_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler = (struct event_handler){ .step = take_step,
						   .event = take_event };
	tracker->input = input;
	tracker->paths =
		thread_tracker_paths(trackers_threads(input->trackers));
	tracker->places = trackers_wait_channels(input->trackers);
	tracker->futex_wait = function_table_kernel(functions, "futex_wait");
	tracker->calls =
		thread_tracker_calls(trackers_threads(input->trackers));
	if (lock_waits_open(&tracker->waits, callback) == 0 && tracker->paths &&
	    tracker->places &&
	    !trackers_follow(input->trackers, &tracker->handler))
		return tracker;
	lock_tracker_free(tracker);
	return NULL;
}

int lock_tracker_status(const struct lock_tracker *tracker)
{
	return tracker->status;
}
