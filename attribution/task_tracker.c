/* SPDX-License-Identifier: MIT */
#include "attribution/task_tracker.h"

#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/table.h"
#include "attribution/time/task_paths.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/user_stack.h"

#include <stdlib.h>

struct task_tracker {
	struct event_handler handler;
	struct span_callback spans;
	struct sleep_callback sleep_callback;
	struct task_listener *listener;
	struct task_time *time;
	struct task_paths *paths;
	struct wait_channels *places;
	struct sleep_stacks *stacks;
	struct system_calls *calls;
	struct sleeps *sleeps;
	const struct function_table *functions;
	const struct arch *arch;
	const struct context_kinds *kinds;
	bool results_are_behind;
	int status; /* the first failure */
};

static struct task_tracker *watch_of_spans(struct span_callback *callback)
{
	return (struct task_tracker *)((char *)callback -
				       offsetof(struct task_tracker, spans));
}

static struct task_tracker *watch_of_sleeps(struct sleep_callback *callback)
{
	return (struct task_tracker *)((char *)callback -
				       offsetof(struct task_tracker,
						sleep_callback));
}

static void note(struct task_tracker *tracker, int status)
{
	if (status < 0 && !tracker->status)
		tracker->status = status;
}

static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct task_tracker *tracker = watch_of_spans(callback);

	system_calls_span(tracker->calls, span);
	note(tracker, sleeps_span(tracker->sleeps, span));
}

static void take_sleep(struct sleep_callback *callback,
		       const struct sleep *sleep)
{
	struct task_tracker *tracker = watch_of_sleeps(callback);

	if (tracker->listener->slept)
		note(tracker,
		     tracker->listener->slept(tracker->listener, sleep));
}

static void tell_end(struct task_tracker *tracker,
		     const struct system_call *call)
{
	struct task_listener *listener = tracker->listener;

	if (call->end != CALL_RETURNED)
		sleeps_flush(tracker->sleeps, call->task->tid);
	if (listener->ended)
		note(tracker, listener->ended(listener, call));
}

static void tell(struct task_tracker *tracker, const struct call_step *step,
		 int change)
{
	struct task_listener *listener = tracker->listener;
	const struct system_call *call;

	if (change == CALL_NOTHING && !listener->step)
		return;
	call = system_calls_of(tracker->calls, step->task->index);
	if (!call)
		return;
	if (change == CALL_BEGAN && listener->began)
		note(tracker, listener->began(listener, call));
	if (listener->step)
		note(tracker, listener->step(listener, step));
	if (change == CALL_ENDED)
		tell_end(tracker, call);
}

/* Of task @index, whose call may have ended in this @change without a step. */
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

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct task_tracker *tracker = task_tracker_of(handler);
	int change;

	/* First the spans that end here: they are of what was before. */
	task_time_step(tracker->time, step);
	note(tracker, task_paths_take(tracker->paths, step));
	note(tracker, sleeps_step(tracker->sleeps, step));
	if (tracker->results_are_behind && step->kind == STEP_ENTER)
		give_up(tracker, step->task->index);
	change = system_calls_step(tracker->calls, step);
	note(tracker, change);
	tell(tracker, step, change);
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct task_tracker *tracker = task_tracker_of(handler);
	const struct task *task =
		task_paths_task(tracker->paths, event->cpu, event->tid);

	task_time_event(tracker->time, event);
	note(tracker, sleeps_event(tracker->sleeps, event));
	if (task)
		tell_late(tracker, task->index,
			  system_calls_event(tracker->calls, task, event));
}

static void take_record(struct event_handler *handler,
			const struct sideband_record *record)
{
	struct task_tracker *tracker = task_tracker_of(handler);
	const struct task *task;

	task_time_record(tracker->time, record);
	if (record->kind != SIDEBAND_EXIT)
		return;
	task = task_paths_task(tracker->paths, record->cpu, record->tid);
	if (task)
		system_calls_exit(tracker->calls, task);
}

struct task_tracker_options
task_tracker_options_of(const struct attribution_input *input)
{
	struct task_tracker_options options = {
		.functions = symbols_functions(input->symbols),
		.arch = symbols_arch(input->symbols),
		.kinds = input->kinds,
		.time = task_time_options_of(input),
		.marks = wait_marks_of(input->recording),
		.user_stack = user_stack_new(input->recording, input->symbols),
		.results_are_behind = recording_is_gated(input->recording),
	};

	/* Calls and sleeps are chosen by when they begin, and then whole. */
	options.time.window = TIME_WINDOW_ALL;
	return options;
}

/* Makes what follows tasks and costs little. */
static bool open_tasks(struct task_tracker *tracker)
{
	tracker->paths = task_paths_new();
	tracker->calls = system_calls_new(tracker->functions, tracker->arch,
					  tracker->kinds);
	if (tracker->calls && tracker->results_are_behind)
		system_calls_expect_results_behind(tracker->calls);
	return tracker->paths && tracker->calls;
}

static struct sleeps *open_sleeps(struct task_tracker *tracker,
				  const struct task_tracker_options *options)
{
	const struct sleeps_options sleeps_options = {
		.functions = options->functions,
		.arch = options->arch,
		.places = tracker->places,
		.paths = tracker->paths,
		.stacks = tracker->stacks,
	};

	return sleeps_new(&sleeps_options, &tracker->sleep_callback);
}

struct task_tracker *
task_tracker_new(const struct task_tracker_options *options,
		 struct task_listener *listener)
{
	struct task_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker) {
		user_stack_free(options->user_stack);
		return NULL;
	}
	tracker->handler =
		(struct event_handler){ take_step, take_event, take_record };
	tracker->spans.take = take_span;
	tracker->sleep_callback.take = take_sleep;
	tracker->listener = listener;
	tracker->functions = options->functions;
	tracker->arch = options->arch;
	tracker->kinds = options->kinds;
	tracker->results_are_behind = options->results_are_behind;
	tracker->stacks = sleep_stacks_new(options->user_stack);
	tracker->time = task_time_new(&options->time, &tracker->spans);
	tracker->places = wait_channels_new(options->functions, options->kinds,
					    &options->marks);
	if (open_tasks(tracker))
		tracker->sleeps = open_sleeps(tracker, options);
	if (tracker->stacks && tracker->time && tracker->places &&
	    tracker->sleeps)
		return tracker;
	task_tracker_free(tracker);
	return NULL;
}

int task_tracker_renew(struct task_tracker *tracker,
		       const struct off_cpu_evidence *evidence)
{
	int error = task_time_renew(tracker->time, evidence);

	tracker->status = 0;
	system_calls_free(tracker->calls);
	task_paths_free(tracker->paths);
	if (!open_tasks(tracker))
		error = -ERROR_MEMORY;
	return error ? error : sleeps_renew(tracker->sleeps, tracker->paths);
}

void task_tracker_free(struct task_tracker *tracker)
{
	if (!tracker)
		return;
	sleeps_free(tracker->sleeps);
	system_calls_free(tracker->calls);
	wait_channels_free(tracker->places);
	task_paths_free(tracker->paths);
	task_time_free(tracker->time);
	sleep_stacks_free(tracker->stacks);
	free(tracker);
}

struct event_handler *task_tracker_handler(struct task_tracker *tracker)
{
	return &tracker->handler;
}

struct task_tracker *task_tracker_of(struct event_handler *handler)
{
	return (struct task_tracker *)handler;
}

struct task_listener *task_tracker_listener(const struct task_tracker *tracker)
{
	return tracker->listener;
}

int task_tracker_end(struct task_tracker *tracker)
{
	for (uint32_t i = 0; i < system_calls_tasks(tracker->calls); i++)
		give_up(tracker, i);
	note(tracker, task_time_end(tracker->time));
	sleeps_end(tracker->sleeps);
	return tracker->status;
}

const struct call_tree *task_tracker_stacks(const struct task_tracker *tracker)
{
	return sleep_stacks_tree(tracker->stacks);
}

const struct wakers *task_tracker_wakers(const struct task_tracker *tracker)
{
	return sleeps_wakers(tracker->sleeps);
}

uint64_t task_tracker_refused_stacks(const struct task_tracker *tracker)
{
	return sleep_stacks_refused(tracker->stacks);
}
