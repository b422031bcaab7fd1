/* SPDX-License-Identifier: MIT */
#include "tables/locks/lock_tracker.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/locks/lock_waits.h"

#include <stdlib.h>

enum { FILE_WAITS = 3 };

struct lock_tracker {
	struct event_handler handler;
	struct lock_waits waits;
	const struct task_time *time;
	const struct task_paths *paths;
	const struct wait_channels *places;
	uint32_t futex_wait; /* kernel/futex/waitwake.c of Linux 5.16 and newer,
			      * kernel/futex.c before */
	/* their first argument is the futex word's address */
	const struct call_entries *calls;
	uint32_t file_waits[FILE_WAITS]; /* see file_wait_names */
	int status;
};

/* A thread that waits for a file lock tries again when woken, and gives up for
 * a signal, in which case only the end of these functions shows the end of the
 * wait (fs/locks.c).
 */
static const char *const file_wait_names[FILE_WAITS] = {
	"locks_lock_inode_wait",
	"fcntl_setlk",
	"fcntl_setlk64",
};

static bool is_file_wait(const struct lock_tracker *tracker, uint32_t function)
{
	for (size_t i = 0; i < FILE_WAITS; i++)
		if (tracker->file_waits[i] == function)
			return true;
	return false;
}

static void note(struct lock_tracker *tracker, int status)
{
	if (status < 0)
		tracker->status = status;
}

/* Returns the function of @task that tries to lock: the innermost function
 * outside of locking and the scheduler.
 */
static uint32_t function_of(const struct lock_tracker *tracker,
			    const struct task *task)
{
	size_t count = 0;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &count);

	return wait_channels_caller(tracker->places, path, count);
}

/* Like function_of(), for file locks: the caller of the outermost of
 * file_wait_names.
 */
static uint32_t file_function_of(const struct lock_tracker *tracker,
				 const struct task *task)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &count);

	for (size_t i = 1; path && i < count; i++)
		if (is_file_wait(tracker, path[i].function))
			return path[i - 1].function;
	return FUNCTION_UNKNOWN;
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

	if (step->kind == STEP_ENTER)
		note(tracker, lock_waits_begin(&tracker->waits, task, &lock,
					       step->function, step->time_ns));
	else if (step->kind == STEP_EXIT)
		note(tracker, lock_waits_end(&tracker->waits, task->tid, &lock,
					     step->time_ns));
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct lock_tracker *tracker = (struct lock_tracker *)handler;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	if (step->function == tracker->futex_wait)
		take_futex(tracker, step);
	else if (step->kind == STEP_EXIT &&
		 is_file_wait(tracker, step->function))
		note(tracker,
		     lock_waits_end_file(&tracker->waits, step->task->tid,
					 step->time_ns));
}

static void begin_wait(struct lock_tracker *tracker,
		       const struct event_record *event,
		       const struct lock_name *lock)
{
	const struct task *task =
		task_time_task(tracker->time, event->cpu, event->tid);
	uint32_t function;

	if (!task)
		return;
	function = lock->kind == LOCK_FILE ? file_function_of(tracker, task) :
					     function_of(tracker, task);
	note(tracker, lock_waits_begin(&tracker->waits, task, lock, function,
				       event->time_ns));
}

static void take_file(struct lock_tracker *tracker,
		      const struct event_record *event)
{
	enum { DEFERRED = 1 };
	const struct lock_name lock = {
		.address = (uint64_t)event->values[FILE_INODE],
		.device = (uint32_t)event->values[FILE_DEVICE],
		.pid = -1,
		.kind = LOCK_FILE,
	};

	if (event->values[FILE_RESULT] == DEFERRED)
		begin_wait(tracker, event, &lock);
	else
		note(tracker, lock_waits_end(&tracker->waits, event->tid, &lock,
					     event->time_ns));
}

static void take_contention(struct lock_tracker *tracker,
			    const struct event_record *event)
{
	const struct lock_name lock = {
		.address = (uint64_t)event->values[LOCK_ADDRESS],
		.pid = -1,
		.kind = lock_kind_of(event->values[LOCK_FLAGS]),
	};

	if (event->event == EVENT_LOCK_END)
		note(tracker, lock_waits_end(&tracker->waits, event->tid, &lock,
					     event->time_ns));
	else
		begin_wait(tracker, event, &lock);
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
	else if (event->event == EVENT_FILE_FLOCK ||
		 event->event == EVENT_FILE_POSIX)
		take_file(tracker, event);
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
	struct thread_tracker *threads = trackers_threads(input->trackers);
	struct lock_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler = (struct event_handler){ .step = take_step,
						   .event = take_event };
	tracker->time = thread_tracker_time(threads);
	tracker->paths = thread_tracker_paths(threads);
	tracker->places = trackers_wait_channels(input->trackers);
	tracker->futex_wait = function_table_kernel(functions, "futex_wait");
	for (size_t i = 0; i < FILE_WAITS; i++)
		tracker->file_waits[i] =
			function_table_kernel(functions, file_wait_names[i]);
	tracker->calls = thread_tracker_calls(threads);
	lock_waits_open(&tracker->waits, callback);
	if (tracker->time && tracker->paths && tracker->places &&
	    !trackers_follow(input->trackers, &tracker->handler))
		return tracker;
	lock_tracker_free(tracker);
	return NULL;
}

int lock_tracker_status(const struct lock_tracker *tracker)
{
	return tracker->status;
}
