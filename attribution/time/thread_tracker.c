/* SPDX-License-Identifier: MIT */
#include "attribution/time/thread_tracker.h"

#include "attribution/events/event_handler.h"
#include "attribution/time/wait_channels.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"

#include <assert.h>
#include <stdlib.h>

void call_entries_free(struct call_entries *entries)
{
	keyed_array_free(&entries->all);
}

int call_entries_consume(struct call_entries *entries,
			 const struct event_record *event)
{
	struct call_entry *entry;

	if (event->event != EVENT_SYS_ENTER)
		return 0;
	entry = keyed_array_add(&entries->all,
				&(struct call_entry){ .tid = event->tid });
	if (!entry)
		return -ERROR_MEMORY;
	entry->record = *event->sideband;
	entry->number = event->values[SYSTEM_CALL_NUMBER];
	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		entry->arguments[i] =
			(uint64_t)event->values[SYSTEM_CALL_ARGUMENT + i];
	return 0;
}

const struct call_entry *call_entries_find(const struct call_entries *entries,
					   int32_t tid)
{
	return keyed_array_find(&entries->all, &tid);
}

/* A receiver of spans. */
struct span_taker {
	struct span_callback *callback;
	struct time_window window;
};

struct thread_tracker {
	struct event_handler handler;
	struct span_callback callback;
	struct task_time_options options;
	struct array takers;	  /* struct span_taker */
	struct task_time *time;	  /* NULL: not requested */
	struct task_paths *paths; /* NULL: not requested */
	struct call_entries calls;
	bool has_calls; /* sys_enter is consumed into calls */
	bool has_changed;
	int status;
};

static void hand_to(const struct span_taker *taker,
		    const struct time_span *span)
{
	const struct time_window *window = &taker->window;
	struct time_span cut = *span;

	if (time_span_cut(&cut, window->since_ns, window->until_ns))
		taker->callback->consume(taker->callback, &cut);
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	const struct thread_tracker *tracker =
		container_of(callback, struct thread_tracker, callback);

	for (size_t i = 0; i < tracker->takers.count; i++)
		hand_to(array_at(&tracker->takers, i), span);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct thread_tracker *tracker = (struct thread_tracker *)handler;

	/* First emits the spans that end here: they belong to the time before
	 * the step.
	 */
	if (tracker->time)
		tracker->has_changed = task_time_step(tracker->time, step);
	if (tracker->paths && task_paths_consume(tracker->paths, step) < 0)
		tracker->status = -ERROR_MEMORY;
}

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	const struct thread_tracker *tracker =
		(const struct thread_tracker *)handler;

	return tracker->time ? task_time_needs(tracker->time, function) :
			       (uint8_t)NEED_NEVER;
}

static void limit(const struct event_handler *handler,
		  const struct call_step *step, struct skip_limits *limits)
{
	const struct thread_tracker *tracker =
		(const struct thread_tracker *)handler;

	if (tracker->time)
		task_time_limit(tracker->time, step, limits);
}

static void skip(struct event_handler *handler,
		 const struct skipped_calls *skipped)
{
	struct thread_tracker *tracker = (struct thread_tracker *)handler;

	tracker->has_changed = false;
	if (tracker->time)
		task_time_skip(tracker->time, skipped);
	if (tracker->paths && task_paths_skip(tracker->paths, skipped) < 0)
		tracker->status = -ERROR_MEMORY;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct thread_tracker *tracker = (struct thread_tracker *)handler;

	if (tracker->time)
		task_time_event(tracker->time, event);
	if (tracker->has_calls &&
	    call_entries_consume(&tracker->calls, event) < 0)
		tracker->status = -ERROR_MEMORY;
}

static void consume_record(struct event_handler *handler,
			   const struct sideband_record *record)
{
	const struct thread_tracker *tracker = (struct thread_tracker *)handler;

	if (tracker->time)
		task_time_record(tracker->time, record);
}

/* Packs the state of time. The pass must not need paths or calls, which are not
 * packed.
 */
static void pack_time(struct event_handler *handler,
		      const struct task_pack *tasks)
{
	const struct thread_tracker *tracker = (struct thread_tracker *)handler;

	assert(tracker->time && !tracker->paths && !tracker->has_calls);
	task_time_pack(tracker->time, tasks);
}

struct thread_tracker *
thread_tracker_new(const struct task_time_options *options)
{
	struct thread_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler = (struct event_handler){ .step = consume_step,
						   .needs = needs_function,
						   .limit = limit,
						   .skip = skip,
						   .event = consume_event,
						   .record = consume_record,
						   .pack = pack_time };
	tracker->callback.consume = consume_span;
	tracker->options = *options;
	tracker->takers = ARRAY_OF(struct span_taker);
	tracker->calls = CALL_ENTRIES_NONE;
	return tracker;
}

void thread_tracker_free(struct thread_tracker *tracker)
{
	if (!tracker)
		return;
	array_free(&tracker->takers);
	task_time_free(tracker->time);
	task_paths_free(tracker->paths);
	call_entries_free(&tracker->calls);
	free(tracker);
}

void thread_tracker_reset(struct thread_tracker *tracker,
			  const struct off_cpu_evidence *evidence)
{
	tracker->status = 0;
	call_entries_free(&tracker->calls);
	if (tracker->paths)
		task_paths_reset(tracker->paths);
	if (tracker->time)
		task_time_reset(tracker->time, evidence);
}

struct task_time *thread_tracker_time(struct thread_tracker *tracker)
{
	if (!tracker->time)
		tracker->time =
			task_time_new(&tracker->options, &tracker->callback);
	return tracker->time;
}

int thread_tracker_hand_spans(struct thread_tracker *tracker,
			      struct span_callback *callback,
			      struct time_window window)
{
	const struct span_taker taker = { callback, window };

	return thread_tracker_time(tracker) ?
		       array_append(&tracker->takers, &taker) :
		       -ERROR_MEMORY;
}

const struct task_paths *thread_tracker_paths(struct thread_tracker *tracker)
{
	if (!tracker->paths)
		tracker->paths = task_paths_new();
	return tracker->paths;
}

const struct call_entries *thread_tracker_calls(struct thread_tracker *tracker)
{
	tracker->has_calls = true;
	return &tracker->calls;
}

bool thread_tracker_has_changed(const struct thread_tracker *tracker)
{
	return tracker->has_changed;
}

bool thread_tracker_is_asked(const struct thread_tracker *tracker)
{
	return tracker->time || tracker->paths || tracker->has_calls;
}

struct event_handler *thread_tracker_handler(struct thread_tracker *tracker)
{
	return &tracker->handler;
}

int thread_tracker_end(struct thread_tracker *tracker)
{
	int status = tracker->time ? task_time_end(tracker->time) : 0;

	return status ? status : tracker->status;
}
