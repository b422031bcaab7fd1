/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLEEPS_H
#define KT_ATTRIBUTION_SLEEPS_H

#include "attribution/time/time_span.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct arch;
struct call_entries;
struct event_record;
struct function_table;
struct sleep_stacks;
struct task_paths;
struct task_time;
struct wait_channels;
struct wakers;

/* One time that a task slept, from leaving its CPU to running again. */
struct sleep {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t off_ns;      /* off its CPU, from when asleep_ns counts */
	uint64_t asleep_ns;   /* until somebody woke it */
	uint64_t runnable_ns; /* from then on, until it ran */
	uint32_t stack;	      /* its kernel stack: a node of sleep_stacks,
				 * or CALL_NODE_NONE if it was not seen */
	uint32_t user_stack;  /* the same for its user stack, outermost
				 * function first, where that was recorded */
	uint32_t label;	      /* the function that decided to wait */
	uint32_t inner;	      /* what that called to sleep */
	uint64_t place;	      /* where in label, 0 if unknown */
	uint32_t waker;	      /* a number of wakers, WAKER_NONE */
	/* When the thread was woken last, and by whom; NULL: that is unknown, or
	 * no event tells.
	 */
	uint64_t wake_ns;
	const struct task *waker_task;
	uint32_t others_at_begin; /* tasks asleep at the same label */
	uint32_t others_at_end;
	int32_t same_at_begin; /* of these, for the same object; -1 unknown */
	int32_t same_at_end;
	int32_t fd;  /* the descriptor that its system call is for,
				* where arguments were recorded; else -1 */
	bool is_cut; /* the recording begins or ends in it */
};

/* Follows the tasks through their sleeps. */
struct sleeps;

/* Takes each sleep as it ends. */
struct sleep_callback {
	void (*take)(struct sleep_callback *callback,
		     const struct sleep *sleep);
};

/* Sleeps are found with these, all borrowed; time, paths and calls must know the tasks
 * as far as what it is told.
 */
struct sleeps_options {
	const struct function_table *functions;
	const struct arch *arch;
	const struct wait_channels *places;
	const struct task_time *time;
	const struct task_paths *paths;
	const struct call_entries *calls;
	struct sleep_stacks *stacks;
	struct wakers *wakers;
};

/* Borrows @callback.  Returns NULL when out of memory. */
struct sleeps *sleeps_new(const struct sleeps_options *options,
			  struct sleep_callback *callback);
void sleeps_free(struct sleeps *sleeps);

/* Forgets all sleeps: another recording begins, with the same
 * functions.
 */
void sleeps_renew(struct sleeps *sleeps);

/* Apply a step, an event, a stretch of a task's time.  A task's spans must
 * come before the step that they end with.  Return 0 or -ERROR_MEMORY.
 */
int sleeps_step(struct sleeps *sleeps, const struct call_step *step);
int sleeps_event(struct sleeps *sleeps, const struct event_record *event);
int sleeps_span(struct sleeps *sleeps, const struct time_span *span);

/* Hands out what thread @tid sleeps, if it does, cut. */
void sleeps_flush(struct sleeps *sleeps, int32_t tid);

/* Hands out all sleeps that have not ended, cut. */
void sleeps_end(struct sleeps *sleeps);

#endif
