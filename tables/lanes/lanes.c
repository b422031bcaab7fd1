/* SPDX-License-Identifier: MIT */
#include "tables/lanes/lanes.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "tables/lanes/call_lanes.h"
#include "tables/lanes/interrupt_lanes.h"
#include "tables/lanes/sleep_lanes.h"
#include "tables/lanes/wakings.h"
#include "tables/table.h"

#include <stdlib.h>

struct lanes {
	struct event_handler handler;
	struct task_listener listener;
	const struct task_tracker *tracker;
	struct call_lanes calls;
	struct sleep_lanes sleeps;
	struct interrupt_lanes interrupts;
	struct wakings wakings;
};

static struct lanes *of_listener(struct task_listener *listener)
{
	return container_of(listener, struct lanes, listener);
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
			 task_tracker_wakers(lanes->tracker));
	return 0;
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	wakings_event(&((struct lanes *)handler)->wakings, event);
}

static int open_parts(struct lanes *lanes, const struct lanes_options *options,
		      struct lane_callback *callback)
{
	int status = call_lanes_open(&lanes->calls, options, callback);
	int next = sleep_lanes_open(&lanes->sleeps, options, callback);
	lanes->wakings = (struct wakings){ *options, callback };
	lanes->interrupts = interrupt_lanes_of(options, callback);
	return status ? status : next;
}

struct lanes *lanes_new(const struct lanes_options *options,
			struct lane_callback *callback)
{
	struct trackers *trackers = options->input->trackers;
	struct lanes *lanes = calloc(1, sizeof(*lanes));
	struct interrupt_accounts *accounts;
	int status;

	if (!lanes)
		return NULL;
	lanes->handler.event = take_event;
	lanes->listener.ended = take_call;
	lanes->listener.slept = take_sleep;
	status = open_parts(lanes, options, callback);
	lanes->tracker = trackers_plain_tasks(trackers, &lanes->listener);
	accounts = trackers_interrupts(trackers);
	if (!status && lanes->tracker && accounts &&
	    !trackers_follow(trackers, &lanes->handler)) {
		interrupt_accounts_observe(accounts,
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
	call_lanes_free(&lanes->calls);
	sleep_lanes_free(&lanes->sleeps);
	interrupt_lanes_free(&lanes->interrupts);
	free(lanes);
}

int lanes_end(struct lanes *lanes)
{
	return interrupt_lanes_end(&lanes->interrupts);
}
