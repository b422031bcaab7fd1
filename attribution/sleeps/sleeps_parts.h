/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLEEPS_PARTS_H
#define KT_ATTRIBUTION_SLEEPS_PARTS_H

#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/waiters.h"
#include "attribution/sleeps/wakers.h"
#include "common/array.h"

#include <stdint.h>

struct sleeper;

/* The inside of sleeps, shared by its files: sleeps.c takes what happens,
 * sleeps_change.c puts a task to sleep, wakes it and hands out how it slept.
 */
struct sleeps {
	struct sleeps_options options;
	struct sleep_callback *callback;
	struct waiters waiters;
	struct wakers wakers;
	struct array sleepers; /* struct sleeper by task_time_thread() */
	/* The last wake-up that no event tells (task_time.h), and its chain. */
	uint64_t untraced_ns;
	uint32_t untraced_chain;
};

/* Returns the sleeper that thread number @thread is, adding it if it is new; it
 * stays in place until the next one is added.  NULL when out of memory.
 */
struct sleeper *sleeps_sleeper(struct sleeps *sleeps, uint32_t thread);

/* Returns the sleeper that thread @tid is if it is there, else NULL. */
struct sleeper *sleeps_find(const struct sleeps *sleeps, int32_t tid);

/* A task goes to sleep, as sched_switch says.  Returns 0 or -ERROR_MEMORY. */
int sleeps_begin(struct sleeps *sleeps, const struct event_record *event);

/* A task is woken, as sched_waking says.  Returns 0 or -ERROR_MEMORY. */
int sleeps_wake_up(struct sleeps *sleeps, const struct event_record *event);

/* Looks whether @step, the newest of its task's path, wakes somebody whom no
 * event tells of.  Returns 0 or -ERROR_MEMORY.
 */
int sleeps_watch(struct sleeps *sleeps, const struct call_step *step);

/* @sleeper was woken at @time_ns, as the steps alone have it. */
void sleeps_wake_untraced(struct sleeps *sleeps, struct sleeper *sleeper,
			  uint64_t time_ns);

/* Ends the sleep; @waker is the chain that ended it, or WAKER_NONE. */
void sleeps_wake(struct sleeps *sleeps, struct sleeper *sleeper,
		 uint32_t waker);

/* Hands out its last sleep, if any of that was in the recording. */
void sleeps_hand_out(struct sleeps *sleeps, struct sleeper *sleeper);

#endif
