/* SPDX-License-Identifier: MIT */
#include "attribution/task_tracker.h"

#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/files/cache_file.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct task_tracker {
	struct event_handler handler;
	struct span_callback spans;
	struct sleep_callback sleep_callback;
	struct task_tracker_options options;
	struct array listeners; /* struct task_listener * */
	bool has_step_listener;
	const struct task_paths *paths;
	struct sleep_stacks *stacks;
	struct wakers wakers;
	struct system_calls *calls;
	struct sleeps *sleeps;
	/* receive finished calls and sleeps; NULL: they are not cached */
	struct cache_file_writer *calls_out;
	struct cache_file_writer *sleeps_out;
	int status; /* the first failure */
};

static void note(struct task_tracker *tracker, int status)
{
	if (status < 0 && !tracker->status)
		tracker->status = status;
}

/* Calls @function of all listeners that have it and for which @wants holds. */
#define TELL_IF(tracker, wants, function, what) \
	do { \
		struct task_listener *const *all_ = \
			(tracker)->listeners.items; \
\
		for (size_t i_ = 0; i_ < (tracker)->listeners.count; i_++) \
			if ((wants) && all_[i_]->function) \
				note(tracker, \
				     all_[i_]->function(all_[i_], what)); \
	} while (0)

#define TELL(tracker, function, what) TELL_IF(tracker, true, function, what)

static uint32_t functions_of(const struct task_tracker *tracker)
{
	return function_count(tracker->options.functions);
}

static struct sleep_numbers numbers_of(const struct task_tracker *tracker)
{
	return (struct sleep_numbers){
		.functions = functions_of(tracker),
		.stacks = call_tree_count(sleep_stacks_tree(tracker->stacks)),
		.wakers = (uint32_t)tracker->wakers.chains.items.count,
	};
}

static void keep_sleep(const struct task_tracker *tracker,
		       const struct sleep *sleep)
{
	const struct cached_span span = cached_span_of(
		sleep->begin_ns,
		sleep->begin_ns + sleep->asleep_ns + sleep->runnable_ns);
	const struct sleep_numbers numbers = numbers_of(tracker);
	struct sleep kept = *sleep;
	struct task task;

	sleep_pack(cache_file_writer_pack(tracker->sleeps_out), &kept, &task,
		   &numbers);
	cache_file_writer_add(tracker->sleeps_out, &span);
}

static void keep_call(const struct task_tracker *tracker,
		      const struct system_call *call)
{
	const struct cached_span span =
		cached_span_of(call->begin_ns, call->end_ns);
	struct system_call kept = *call;
	struct task task;

	system_call_pack(cache_file_writer_pack(tracker->calls_out), &kept,
			 &task, functions_of(tracker));
	call_items_pack(cache_file_writer_pack(tracker->calls_out), &kept.items,
			NULL);
	cache_file_writer_add(tracker->calls_out, &span);
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct task_tracker *tracker =
		container_of(callback, struct task_tracker, spans);

	system_calls_span(tracker->calls, span);
	note(tracker, sleeps_span(tracker->sleeps, span));
}

static void consume_sleep(struct sleep_callback *callback,
			  const struct sleep *sleep)
{
	struct task_tracker *tracker =
		container_of(callback, struct task_tracker, sleep_callback);

	if (tracker->sleeps_out)
		keep_sleep(tracker, sleep);
	TELL(tracker, slept, sleep);
}

static void tell_end(struct task_tracker *tracker,
		     const struct system_call *call)
{
	if (call->end != CALL_RETURNED)
		sleeps_flush(tracker->sleeps, call->task->tid);
	if (tracker->calls_out)
		keep_call(tracker, call);
	TELL(tracker, ended, call);
}

static void tell(struct task_tracker *tracker, const struct call_step *step,
		 int change)
{
	const struct system_call *call;

	if (change == CALL_NOTHING && !tracker->has_step_listener)
		return;
	call = system_calls_of(tracker->calls, step->task->index);
	if (!call)
		return;
	if (change == CALL_BEGAN)
		TELL(tracker, began, call);
	TELL(tracker, step, step);
	if (change == CALL_ENDED)
		tell_end(tracker, call);
}

/* Notifies the listeners if the call of task @index ended without a step.
 * @change: enum system_call_change, or a negative error.
 */
static void tell_late(struct task_tracker *tracker, uint32_t index, int change)
{
	note(tracker, change);
	if (change == CALL_ENDED)
		tell_end(tracker, system_calls_of(tracker->calls, index));
}

static void give_up(struct task_tracker *tracker, uint32_t index)
{
	tell_late(tracker, index, system_calls_give_up(tracker->calls, index));
}

/* Returns whether the task leaves its CPU for the last time. An exiting task
 * may still sleep before that.
 */
static bool ends_with(const struct task_tracker *tracker,
		      const struct call_step *step)
{
	size_t count;
	const struct path_frame *frames;

	if (step->kind != STEP_LEAVE)
		return false;
	frames = task_paths_of(tracker->paths, step->task->index, &count);
	return wait_channels_is_end(
		tracker->options.channels, frames, count,
		task_time_exits(thread_tracker_time(tracker->options.threads),
				step->task->tid));
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct task_tracker *tracker = (struct task_tracker *)handler;
	const struct task_time *time =
		thread_tracker_time(tracker->options.threads);
	const struct open_context *open;
	size_t count;
	int change;

	note(tracker, sleeps_step(tracker->sleeps, step));
	if (tracker->options.results_are_behind && step->kind == STEP_ENTER)
		give_up(tracker, step->task->index);
	if (task_time_context_change(time)) {
		open = task_time_contexts(time, step->task->index, &count);
		system_calls_contexts(tracker->calls, step, open, count);
	}
	if (ends_with(tracker, step))
		system_calls_exit(tracker->calls, step->task);
	change = system_calls_step(tracker->calls, step);
	note(tracker, change);
	tell(tracker, step, change);
}

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	return system_calls_needs(((const struct task_tracker *)handler)->calls,
				  function);
}

static void limit(const struct event_handler *handler,
		  const struct call_step *step, struct skip_limits *limits)
{
	const struct task_tracker *tracker =
		(const struct task_tracker *)handler;

	system_calls_limit(tracker->calls, step->task->index, limits);
}

static void skip(struct event_handler *handler,
		 const struct skipped_calls *skipped)
{
	struct task_tracker *tracker = (struct task_tracker *)handler;
	uint32_t index = skipped->last->task->index;

	system_calls_skip(tracker->calls, index);
	if (tracker->has_step_listener &&
	    system_calls_of(tracker->calls, index))
		TELL(tracker, skip, skipped);
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct task_tracker *tracker = (struct task_tracker *)handler;
	const struct task *task =
		task_time_task(thread_tracker_time(tracker->options.threads),
			       event->cpu, event->tid);

	note(tracker, sleeps_event(tracker->sleeps, event));
	if (task)
		tell_late(tracker, task->index,
			  system_calls_event(tracker->calls, task, event));
}

static bool open_calls(struct task_tracker *tracker)
{
	const struct task_tracker_options *options = &tracker->options;

	tracker->calls = system_calls_new(
		options->functions, options->arch, options->kinds,
		thread_tracker_calls(options->threads),
		options->results_are_behind);
	return tracker->calls;
}

static struct sleeps *open_sleeps(struct task_tracker *tracker)
{
	const struct task_tracker_options *options = &tracker->options;
	const struct sleeps_options sleeps_options = {
		.functions = options->functions,
		.arch = options->arch,
		.channels = options->channels,
		.time = thread_tracker_time(options->threads),
		.paths = tracker->paths,
		.calls = thread_tracker_calls(options->threads),
		.stacks = tracker->stacks,
		.wakers = &tracker->wakers,
	};

	return sleeps_options.time ?
		       sleeps_new(&sleeps_options, &tracker->sleep_callback) :
		       NULL;
}

struct task_tracker *
task_tracker_new(const struct task_tracker_options *options)
{
	struct task_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler = (struct event_handler){ .step = consume_step,
						   .needs = needs_function,
						   .limit = limit,
						   .skip = skip,
						   .event = consume_event };
	tracker->spans.consume = consume_span;
	tracker->sleep_callback.consume = consume_sleep;
	tracker->options = *options;
	tracker->listeners = ARRAY_OF(struct task_listener *);
	tracker->paths = thread_tracker_paths(options->threads);
	tracker->stacks = sleep_stacks_new();
	tracker->wakers = WAKERS_NONE;
	if (tracker->paths && tracker->stacks && open_calls(tracker))
		tracker->sleeps = open_sleeps(tracker);
	/* The spans are not cut to a window, because calls and sleeps are
	 * selected by their start and emitted whole.
	 */
	if (tracker->sleeps &&
	    !thread_tracker_hand_spans(options->threads, &tracker->spans,
				       TIME_WINDOW_ALL))
		return tracker;
	task_tracker_free(tracker);
	return NULL;
}

int task_tracker_listen(struct task_tracker *tracker,
			struct task_listener *listener)
{
	tracker->has_step_listener |= listener->step != NULL;
	return array_append(&tracker->listeners, &listener);
}

void task_tracker_unwind(struct task_tracker *tracker, struct user_stack *user)
{
	sleep_stacks_unwind(tracker->stacks, user);
}

void task_tracker_reset(struct task_tracker *tracker)
{
	tracker->status = 0;
	system_calls_clear(tracker->calls);
	sleeps_reset(tracker->sleeps);
	wakers_free(&tracker->wakers);
}

void task_tracker_free(struct task_tracker *tracker)
{
	if (!tracker)
		return;
	sleeps_free(tracker->sleeps);
	system_calls_free(tracker->calls);
	sleep_stacks_free(tracker->stacks);
	wakers_free(&tracker->wakers);
	array_free(&tracker->listeners);
	free(tracker);
}

struct event_handler *task_tracker_handler(struct task_tracker *tracker)
{
	return &tracker->handler;
}

int task_tracker_end(struct task_tracker *tracker)
{
	for (uint32_t i = 0; i < system_calls_tasks(tracker->calls); i++)
		give_up(tracker, i);
	sleeps_end(tracker->sleeps);
	return tracker->status;
}

void task_tracker_keep_calls(struct event_handler *handler,
			     struct cache_file_writer *writer)
{
	((struct task_tracker *)handler)->calls_out = writer;
}

void task_tracker_keep_sleeps(struct event_handler *handler,
			      struct cache_file_writer *writer)
{
	((struct task_tracker *)handler)->sleeps_out = writer;
}

void task_tracker_pack_numbers(struct event_handler *handler, struct pack *pack)
{
	struct task_tracker *tracker = (struct task_tracker *)handler;

	sleep_stacks_pack(tracker->stacks, pack, functions_of(tracker));
	wakers_pack(&tracker->wakers, pack, functions_of(tracker));
}

#define TELL_READ(tracker, function, what) \
	TELL_IF(tracker, all_[i_]->reads_records, function, what)

void task_tracker_read_call(struct event_handler *handler, struct pack *pack)
{
	struct task_tracker *tracker = (struct task_tracker *)handler;
	struct call_items items = { .bytes = { 0 } };
	struct system_call call = { 0 };
	struct task task = { 0 };

	system_call_pack(pack, &call, &task, functions_of(tracker));
	call_items_pack(pack, &call.items, &items);
	if (!pack->failed)
		TELL_READ(tracker, ended, &call);
	call_items_free(&items);
	pack_check(pack, !tracker->status);
}

void task_tracker_read_sleep(struct event_handler *handler, struct pack *pack)
{
	struct task_tracker *tracker = (struct task_tracker *)handler;
	const struct sleep_numbers numbers = numbers_of(tracker);
	struct sleep sleep = { 0 };
	struct task task = { 0 };

	sleep_pack(pack, &sleep, &task, &numbers);
	if (!pack->failed)
		TELL_READ(tracker, slept, &sleep);
	pack_check(pack, !tracker->status);
}

const struct call_tree *task_tracker_stacks(const struct task_tracker *tracker)
{
	return sleep_stacks_tree(tracker->stacks);
}

const struct wakers *task_tracker_wakers(const struct task_tracker *tracker)
{
	return &tracker->wakers;
}

uint64_t task_tracker_refused_stacks(const struct task_tracker *tracker)
{
	return sleep_stacks_refused(tracker->stacks);
}
