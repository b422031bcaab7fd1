/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_TRACKER_H
#define KT_ATTRIBUTION_TASK_TRACKER_H

/* Finds system calls and sleeps in a pass once, for all of their users.
 *
 *	steps, events ─► system_calls.h ─┐
 *	steps, events ─┐                 ├─► struct task_listener: tables, tracks,
 *	spans ─────────┴► sleeps.h ──────┘   SQL's syscall and sleep
 *
 * It must receive each step and event after the thread tracker has consumed it.
 *
 * 1. Listeners receive the actions of a task in their order; each call that
 *    began ends, at the latest in task_tracker_end().
 * 2. The stack and waker numbers in a struct sleep are valid in this tracker,
 *    and in one that task_tracker_pack_numbers() has read.
 * 3. The first failure is kept and returned by task_tracker_end().
 *
 * One thread. Memory: open calls and sleeps, different stacks and waker chains.
 */

#include "attribution/events/event_handler.h"

#include <stdbool.h>
#include <stdint.h>

struct arch;
struct cache_file_writer;
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

/* Receives the actions of tasks in order. Functions may be NULL; they return 0
 * or -ERROR_MEMORY.
 */
struct task_listener {
	/* slept() and ended() also receive sleeps and calls that are read from
	 * the cache. False: the listener's table has cached records of its own,
	 * or none.
	 */
	bool reads_records;
	int (*began)(struct task_listener *listener,
		     const struct system_call *call);
	/* A step of a task that is in a system call. The first is the call's
	 * entry, the last its exit. Between them are runs of calls and returns
	 * that are not steps of their own: skip().
	 */
	int (*step)(struct task_listener *listener,
		    const struct call_step *step);
	int (*skip)(struct task_listener *listener,
		    const struct skipped_calls *skipped);
	int (*slept)(struct task_listener *listener, const struct sleep *sleep);
	int (*ended)(struct task_listener *listener,
		     const struct system_call *call);
};

/* Finds system calls and sleeps in a pass, for all listeners. */
struct task_tracker;

struct task_tracker_options {
	/* borrowed, as all pointers here */
	const struct function_table *functions;
	const struct arch *arch;
	const struct context_kinds *kinds;
	struct thread_tracker *threads;
	const struct wait_channels *channels;
	/* the event with a call's result comes after the call's end in the
	 * trace, as in a recording by record --only
	 */
	bool results_are_behind;
};

/* Returns a tracker without listeners; NULL when out of memory. */
struct task_tracker *
task_tracker_new(const struct task_tracker_options *options);
void task_tracker_free(struct task_tracker *tracker);

/* Adds @listener, which is borrowed. Returns 0 or -ERROR_MEMORY. */
int task_tracker_listen(struct task_tracker *tracker,
			struct task_listener *listener);

/* Makes @user unwind the user stacks of sleeps from now on, and owns it. Frees
 * the previous one. NULL: user stacks are not unwound.
 */
void task_tracker_unwind(struct task_tracker *tracker, struct user_stack *user);

/* Removes all tasks, to continue with another recording that has the same
 * functions. Keeps the data about functions, and the stacks with their numbers;
 * removes the waker chains.
 */
void task_tracker_reset(struct task_tracker *tracker);

/* Returns the handler that must receive the pass, after that of the thread
 * tracker.
 */
struct event_handler *task_tracker_handler(struct task_tracker *tracker);

/* Emits sleeps that have not ended, and calls that still wait for their result.
 * Must be called after the thread tracker has ended.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int task_tracker_end(struct task_tracker *tracker);

/* Implement members of struct table_records, for the finished system calls and
 * the sleeps of a pass, with all the stacks and waker chains that the numbers
 * in struct sleep refer to. A tracker that reads them must not receive steps or
 * events. @handler: task_tracker_handler().
 */
void task_tracker_keep_calls(struct event_handler *handler,
			     struct cache_file_writer *writer);
void task_tracker_keep_sleeps(struct event_handler *handler,
			      struct cache_file_writer *writer);
void task_tracker_pack_numbers(struct event_handler *handler,
			       struct pack *pack);
void task_tracker_read_call(struct event_handler *handler, struct pack *pack);
void task_tracker_read_sleep(struct event_handler *handler, struct pack *pack);

/* Return the stacks and waker chains that the numbers in struct sleep refer to.
 */
const struct call_tree *task_tracker_stacks(const struct task_tracker *tracker);
const struct wakers *task_tracker_wakers(const struct task_tracker *tracker);

/* Returns the number of user stacks of 32-bit programs, which are not unwound.
 */
uint64_t task_tracker_refused_stacks(const struct task_tracker *tracker);

#endif
