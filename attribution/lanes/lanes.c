/* SPDX-License-Identifier: MIT */
#include "attribution/lanes/lanes.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/lanes/call_lanes.h"
#include "attribution/lanes/interrupt_lanes.h"
#include "attribution/lanes/sleep_lanes.h"
#include "attribution/lanes/wakings.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "symbolize/unwind/user_stack.h"

#include <stddef.h>
#include <stdlib.h>

struct lanes {
	struct event_handler handler;
	struct task_listener listener;
	struct task_tracker *tracker;
	struct interrupt_accounts *accounts;
	struct call_lanes calls;
	struct sleep_lanes sleeps;
	struct interrupt_lanes interrupts;
	struct wakings wakings;
};

static struct lanes *of_listener(struct task_listener *listener)
{
	return (struct lanes *)((char *)listener -
				offsetof(struct lanes, listener));
}

static int take_call(struct task_listener *listener,
		     const struct system_call *call)
{
	call_lanes_take(&of_listener(listener)->calls, call);
	return 0;
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct lanes *lanes = of_listener(listener);

	sleep_lanes_take(&lanes->sleeps, sleep,
			 wakings_last(&lanes->wakings, sleep->task->tid),
			 task_tracker_wakers(lanes->tracker));
	return 0;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct lanes *lanes = (struct lanes *)handler;
	struct event_handler *tracker = task_tracker_handler(lanes->tracker);
	struct event_handler *accounts =
		interrupt_accounts_handler(lanes->accounts);

	wakings_step(&lanes->wakings, step);
	tracker->step(tracker, step);
	accounts->step(accounts, step);
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct lanes *lanes = (struct lanes *)handler;
	struct event_handler *tracker = task_tracker_handler(lanes->tracker);
	struct event_handler *accounts =
		interrupt_accounts_handler(lanes->accounts);

	tracker->event(tracker, event);
	accounts->event(accounts, event);
	wakings_event(&lanes->wakings, event);
}

static void take_record(struct event_handler *handler,
			const struct sideband_record *record)
{
	struct event_handler *tracker =
		task_tracker_handler(((struct lanes *)handler)->tracker);

	tracker->record(tracker, record);
}

static struct task_tracker *open_tracker(struct lanes *lanes,
					 const struct attribution_input *input)
{
	struct task_tracker_options options = task_tracker_options_of(input);

	/* No lane shows these. */
	user_stack_free(options.user_stack);
	options.user_stack = NULL;
	return task_tracker_new(&options, &lanes->listener);
}

static int open_parts(struct lanes *lanes, const struct lanes_options *options,
		      struct lane_callback *callback)
{
	int status = wakings_open(&lanes->wakings, options, callback);
	int next = call_lanes_open(&lanes->calls, options, callback);

	status = status ? status : next;
	next = sleep_lanes_open(&lanes->sleeps, options, callback);
	lanes->interrupts = interrupt_lanes_of(options, callback);
	return status ? status : next;
}

struct lanes *lanes_new(const struct lanes_options *options,
			struct lane_callback *callback)
{
	struct lanes *lanes = calloc(1, sizeof(*lanes));
	int status;

	if (!lanes)
		return NULL;
	lanes->handler =
		(struct event_handler){ take_step, take_event, take_record };
	lanes->listener.ended = take_call;
	lanes->listener.slept = take_sleep;
	status = open_parts(lanes, options, callback);
	lanes->tracker = open_tracker(lanes, options->input);
	lanes->accounts = interrupt_accounts_new(options->input, NULL);
	if (!status && lanes->tracker && lanes->accounts) {
		interrupt_accounts_observe(lanes->accounts,
					   &lanes->interrupts.observer);
		return lanes;
	}
	lanes_free(lanes);
	return NULL;
}

void lanes_free(struct lanes *lanes)
{
	if (!lanes)
		return;
	task_tracker_free(lanes->tracker);
	interrupt_accounts_free(lanes->accounts);
	call_lanes_free(&lanes->calls);
	sleep_lanes_free(&lanes->sleeps);
	interrupt_lanes_free(&lanes->interrupts);
	wakings_free(&lanes->wakings);
	free(lanes);
}

struct event_handler *lanes_handler(struct lanes *lanes)
{
	return &lanes->handler;
}

int lanes_end(struct lanes *lanes)
{
	int status = task_tracker_end(lanes->tracker);
	int next = interrupt_lanes_end(&lanes->interrupts);

	status = status ? status : next;
	next = interrupt_accounts_end(lanes->accounts);
	status = status ? status : next;
	return status ? status : lanes->wakings.status;
}
