/* SPDX-License-Identifier: MIT */
#include "attribution/task_watch.h"

#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/table.h"
#include "attribution/time/task_paths.h"
#include "decoder/recording/sideband.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/user_stack.h"

#include <stdlib.h>

struct task_watch {
	struct witness witness;
	struct span_sink spans;
	struct sleep_sink sleep_sink;
	struct task_listener *listener;
	struct task_time *time;
	struct task_paths *paths;
	struct wait_places *places;
	struct sleep_stacks *stacks;
	struct system_calls *calls;
	struct sleeps *sleeps;
	int status; /* the first failure */
};

static struct task_watch *watch_of_spans(struct span_sink *sink)
{
	return (struct task_watch *)((char *)sink -
				     offsetof(struct task_watch, spans));
}

static struct task_watch *watch_of_sleeps(struct sleep_sink *sink)
{
	return (struct task_watch *)((char *)sink -
				     offsetof(struct task_watch, sleep_sink));
}

static void note(struct task_watch *watch, int status)
{
	if (status < 0 && !watch->status)
		watch->status = status;
}

static void take_span(struct span_sink *sink, const struct time_span *span)
{
	struct task_watch *watch = watch_of_spans(sink);

	system_calls_span(watch->calls, span);
	note(watch, sleeps_span(watch->sleeps, span));
}

static void take_sleep(struct sleep_sink *sink, const struct sleep *sleep)
{
	struct task_watch *watch = watch_of_sleeps(sink);

	if (watch->listener->slept)
		note(watch, watch->listener->slept(watch->listener, sleep));
}

static void tell(struct task_watch *watch, const struct call_step *step,
		 int change)
{
	struct task_listener *listener = watch->listener;
	const struct system_call *call;

	if (change == CALL_NOTHING && !listener->step)
		return;
	call = system_calls_of(watch->calls, step->task->index);
	if (!call)
		return;
	if (change == CALL_BEGAN && listener->began)
		note(watch, listener->began(listener, call));
	if (listener->step)
		note(watch, listener->step(listener, step));
	if (change != CALL_ENDED)
		return;
	if (call->end != CALL_RETURNED)
		sleeps_flush(watch->sleeps, call->task->tid);
	if (listener->ended)
		note(watch, listener->ended(listener, call));
}

static void take_step(struct witness *witness, const struct call_step *step)
{
	struct task_watch *watch = task_watch_of(witness);
	int change;

	/* First the spans that end here: they are of what was before. */
	task_time_step(watch->time, step);
	note(watch, task_paths_take(watch->paths, step));
	note(watch, sleeps_step(watch->sleeps, step));
	change = system_calls_step(watch->calls, step);
	note(watch, change);
	tell(watch, step, change);
}

static void take_event(struct witness *witness,
		       const struct event_record *event)
{
	struct task_watch *watch = task_watch_of(witness);
	const struct task *task =
		task_paths_task(watch->paths, event->cpu, event->tid);

	task_time_event(watch->time, event);
	note(watch, sleeps_event(watch->sleeps, event));
	if (task)
		system_calls_event(watch->calls, task, event);
}

static void take_record(struct witness *witness,
			const struct sideband_record *record)
{
	struct task_watch *watch = task_watch_of(witness);
	const struct task *task;

	task_time_record(watch->time, record);
	if (record->kind != SIDEBAND_EXIT)
		return;
	task = task_paths_task(watch->paths, record->cpu, record->tid);
	if (task)
		system_calls_exit(watch->calls, task);
}

struct task_watch_options
task_watch_options_of(const struct attribution_input *input)
{
	struct task_watch_options options = {
		.functions = symbols_functions(input->symbols),
		.arch = symbols_arch(input->symbols),
		.kinds = input->kinds,
		.time = task_time_options_of(input),
		.marks = wait_marks_of(input->recording),
		.user_stack = user_stack_new(input->recording, input->symbols),
	};

	/* Calls and sleeps are chosen by when they begin, and then whole. */
	options.time.window = TIME_WINDOW_ALL;
	return options;
}

static struct sleeps *open_sleeps(struct task_watch *watch,
				  const struct task_watch_options *options)
{
	const struct sleeps_options sleeps_options = {
		.functions = options->functions,
		.arch = options->arch,
		.places = watch->places,
		.paths = watch->paths,
		.stacks = watch->stacks,
	};

	return sleeps_new(&sleeps_options, &watch->sleep_sink);
}

struct task_watch *task_watch_new(const struct task_watch_options *options,
				  struct task_listener *listener)
{
	struct task_watch *watch = calloc(1, sizeof(*watch));

	if (!watch) {
		user_stack_free(options->user_stack);
		return NULL;
	}
	watch->witness = (struct witness){ take_step, take_event, take_record };
	watch->spans.take = take_span;
	watch->sleep_sink.take = take_sleep;
	watch->listener = listener;
	watch->stacks = sleep_stacks_new(options->user_stack);
	watch->time = task_time_new(&options->time, &watch->spans);
	watch->paths = task_paths_new();
	watch->places = wait_places_new(options->functions, options->kinds,
					&options->marks);
	watch->calls = system_calls_new(options->functions, options->arch,
					options->kinds);
	watch->sleeps = open_sleeps(watch, options);
	if (watch->stacks && watch->time && watch->paths && watch->places &&
	    watch->calls && watch->sleeps)
		return watch;
	task_watch_free(watch);
	return NULL;
}

void task_watch_free(struct task_watch *watch)
{
	if (!watch)
		return;
	sleeps_free(watch->sleeps);
	system_calls_free(watch->calls);
	wait_places_free(watch->places);
	task_paths_free(watch->paths);
	task_time_free(watch->time);
	sleep_stacks_free(watch->stacks);
	free(watch);
}

struct witness *task_watch_witness(struct task_watch *watch)
{
	return &watch->witness;
}

struct task_watch *task_watch_of(struct witness *witness)
{
	return (struct task_watch *)witness;
}

struct task_listener *task_watch_listener(const struct task_watch *watch)
{
	return watch->listener;
}

int task_watch_end(struct task_watch *watch)
{
	note(watch, task_time_end(watch->time));
	sleeps_end(watch->sleeps);
	return watch->status;
}

const struct call_tree *task_watch_stacks(const struct task_watch *watch)
{
	return sleep_stacks_tree(watch->stacks);
}

const struct wakers *task_watch_wakers(const struct task_watch *watch)
{
	return sleeps_wakers(watch->sleeps);
}

uint64_t task_watch_refused_stacks(const struct task_watch *watch)
{
	return sleep_stacks_refused(watch->stacks);
}
