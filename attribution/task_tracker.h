/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_TRACKER_H
#define KT_ATTRIBUTION_TASK_TRACKER_H

#include "attribution/events/event_handler.h"

#include <stdbool.h>
#include <stdint.h>

struct arch;
struct call_step;
struct call_tree;
struct context_kinds;
struct function_table;
struct pack;
struct sleep;
struct system_call;
struct thread_tracker;
struct user_stack;
struct wait_channels;
struct wakers;

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

/* Finds system calls and sleeps in a pass, for all who listen. */
struct task_tracker;

struct task_tracker_options {
	const struct function_table *functions; /* borrowed, as all here */
	const struct arch *arch;
	const struct context_kinds *kinds;
	struct thread_tracker *threads;
	const struct wait_channels *places;
	bool results_are_behind; /* the calls' ends: record --only */
};

/* Returns NULL when out of memory. */
struct task_tracker *
task_tracker_new(const struct task_tracker_options *options);
void task_tracker_free(struct task_tracker *tracker);

/* Tells @listener, which is borrowed, too.  Returns 0 or -ERROR_MEMORY. */
int task_tracker_listen(struct task_tracker *tracker,
			struct task_listener *listener);

/* Sleeps have user stacks from now on, unwound by @user, or NULL: there are
 * none.  Owner: the tracker, which has at most one.
 */
void task_tracker_unwind(struct task_tracker *tracker, struct user_stack *user);

/* Forgets all tasks: another recording with the same functions begins.  What is
 * known of functions stays, and so do the numbers of stacks, but not those of
 * wakers.
 *
 * Returns 0, or -ERROR_MEMORY: it can then only be freed.
 */
int task_tracker_renew(struct task_tracker *tracker);

/* Returns what sees the pass, behind the thread tracker's. */
struct event_handler *task_tracker_handler(struct task_tracker *tracker);

/* Tells the listeners what has not ended, when the thread tracker has ended.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int task_tracker_end(struct task_tracker *tracker);

/* Writes what the numbers in struct sleep stand for, stacks and chains of wakers; or
 * sets @tracker, which has none yet, to what it reads.
 */
void task_tracker_pack_numbers(struct task_tracker *tracker, struct pack *pack);

/* Returns what the numbers in struct sleep stand for. */
const struct call_tree *task_tracker_stacks(const struct task_tracker *tracker);
const struct wakers *task_tracker_wakers(const struct task_tracker *tracker);

/* Returns how many user stacks were of 32-bit programs, which are not unwound.
 */
uint64_t task_tracker_refused_stacks(const struct task_tracker *tracker);

#endif
