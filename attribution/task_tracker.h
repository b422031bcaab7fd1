/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_TRACKER_H
#define KT_ATTRIBUTION_TASK_TRACKER_H

#include "attribution/events/event_handler.h"
#include "attribution/sleeps/wait_channels.h"
#include "attribution/time/task_time.h"

struct arch;
struct attribution_input;
struct call_tree;
struct function_table;
struct sleep;
struct system_call;
struct user_stack;
struct wakers;
struct context_kinds;

/* Takes what tasks do, in the order in which they do it.  Functions may be
 * NULL; they return 0 or -ERROR_MEMORY.
 */
struct task_listener {
	int (*began)(struct task_listener *listener,
		     const struct system_call *call);
	/* A step of a task that is in a system call, of which its entry is the
	 * first and its exit the last.
	 */
	int (*step)(struct task_listener *listener,
		    const struct call_step *step);
	int (*slept)(struct task_listener *listener, const struct sleep *sleep);
	int (*ended)(struct task_listener *listener,
		     const struct system_call *call);
};

/* Watches a recording for system calls and sleeps; is a handler. */
struct task_tracker;

struct task_tracker_options {
	const struct function_table *functions; /* borrowed, as all here */
	const struct arch *arch;
	const struct context_kinds *kinds;
	struct task_time_options time;
	struct wait_marks marks;
	struct user_stack *user_stack; /* owned by the watch; or NULL */
	bool results_are_behind;       /* the calls' ends: record --only */
};

struct task_tracker_options
task_tracker_options_of(const struct attribution_input *input);

/* Borrows @listener.  Returns NULL when out of memory. */
struct task_tracker *
task_tracker_new(const struct task_tracker_options *options,
		 struct task_listener *listener);
void task_tracker_free(struct task_tracker *tracker);

/* Forgets all tasks: another recording with the same functions begins, of which
 * @evidence says what it can tell.  What is known of functions stays, and so do
 * the numbers of stacks, but not those of wakers.
 *
 * Returns 0, or -ERROR_MEMORY: it can then only be freed.
 */
int task_tracker_renew(struct task_tracker *tracker,
		       const struct off_cpu_evidence *evidence);

/* The handler that it is, and the way back. */
struct event_handler *task_tracker_handler(struct task_tracker *tracker);
struct task_tracker *task_tracker_of(struct event_handler *handler);
struct task_listener *task_tracker_listener(const struct task_tracker *tracker);

/* Tells the listener what has not ended.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int task_tracker_end(struct task_tracker *tracker);

/* Returns what the numbers in struct sleep stand for. */
const struct call_tree *task_tracker_stacks(const struct task_tracker *tracker);
const struct wakers *task_tracker_wakers(const struct task_tracker *tracker);

/* Returns how many user stacks were of 32-bit programs, which are not unwound.
 */
uint64_t task_tracker_refused_stacks(const struct task_tracker *tracker);

#endif
