/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLEEPS_SLEEPS_H
#define KT_ATTRIBUTION_SLEEPS_SLEEPS_H

/* Sleeps: where each thread slept, for how long, and its waker.
 *
 *   sched_switch, sched_waking  --> sleeps_event(): wait channel, waker
 *   spans of struct task_time   --> sleeps_span(): times, and the end
 *   steps                       --> sleeps_step(): wake-ups without an event
 *                                         |
 *                                         v
 *                               struct sleep_callback
 *
 * The wait channel comes from the functions that are open when the thread
 * leaves its CPU (time/wait_channels.h), the waker from those of the task that
 * wakes it. A waker that had itself been woken during the sleep is linked to
 * its own waker: a chain.
 *
 * Invariants:
 * 1. The times of a sleep are sums of the spans of its thread, not differences
 *    between the times of events.
 * 2. A sleep is emitted when the thread is on a CPU again; sleeps_flush() and
 *    sleeps_end() emit open ones, as cut.
 * 3. Equal chains of wakers have equal numbers.
 *
 * Memory grows with the number of threads, of different chains and of
 * different stacks. Functions return -ERROR_MEMORY; nothing else fails.
 */

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct arch;
struct call_entries;
struct event_record;
struct function_table;
struct lines;
struct pack;
struct sleep_stacks;
struct source_line;
struct task_paths;
struct task_time;
struct wait_channels;

/* A waker, linked to the waker that had woken it before: a chain. */
struct waker {
	uint32_t earlier;  /* the waker of this waker, or WAKER_NONE */
	uint32_t function; /* the function that decided to wake */
	/* the interrupt that contained it, or FUNCTION_NONE */
	uint32_t interrupt;
	/* the waking task; wakers_add() stores -1 for an interrupt */
	int32_t pid;
	int32_t tid;
};

#define WAKER_NONE UINT32_MAX

/* Numbers for chains; equal chains have equal numbers. */
struct wakers {
	/* struct waker; the whole struct is the key */
	struct keyed_array chains;
};

#define WAKERS_NONE \
	((struct wakers){ .chains = KEYED_ARRAY_OF(struct waker, tid) })

void wakers_free(struct wakers *wakers);

/* Returns the number of @waker, adding it if it is new. Ignores the task of an
 * interrupt. Returns WAKER_NONE when out of memory.
 */
uint32_t wakers_add(struct wakers *wakers, const struct waker *waker);

const struct waker *wakers_at(const struct wakers *wakers, uint32_t number);

/* Returns whether thread @tid is in chain @number (WAKER_NONE: in none) other
 * than as the task that an interrupt interrupted.
 */
bool wakers_has(const struct wakers *wakers, uint32_t number, int32_t tid);

/* Writes all chains, or reads them into @wakers, which must be empty, with the
 * same numbers. Function numbers must be below @functions.
 */
void wakers_pack(struct wakers *wakers, struct pack *pack, uint32_t functions);

/* One sleep of a task, from leaving its CPU to running again. */
struct sleep {
	const struct task *task;
	uint64_t begin_ns;
	/* when the thread was off its CPU: start of asleep_ns */
	uint64_t off_ns;
	uint64_t asleep_ns;   /* time from off_ns until the thread was woken */
	uint64_t runnable_ns; /* time from the wake-up until the thread ran */
	/* kernel stack: a node of sleep_stacks, or CALL_NODE_NONE if it was not
	 * seen
	 */
	uint32_t stack;
	/* node of the user stack, outermost function first, or CALL_NODE_NONE
	 * if it was not recorded
	 */
	uint32_t user_stack;
	uint32_t label; /* the function that decided to wait */
	uint32_t inner; /* the function called by it to sleep */
	/* return address in label of its call of inner; 0: unknown */
	uint64_t place;
	uint32_t waker; /* a number of wakers, or WAKER_NONE */
	/* The thread's last wake-up and its waker; NULL: unknown, or not
	 * recorded as an event.
	 */
	uint64_t wake_ns;
	const struct task *waker_task;
	uint32_t others_at_begin; /* tasks asleep at the same label */
	uint32_t others_at_end;
	/* other tasks asleep that wait for the same object, at any label; -1:
	 * unknown
	 */
	int32_t same_at_begin;
	int32_t same_at_end;
	/* the descriptor that its system call uses, if arguments were recorded;
	 * else -1
	 */
	int32_t fd;
	bool is_cut; /* the recording starts or ends during the sleep */
};

/* Numbers of the functions, stacks and waker chains that sleeps may refer to.
 */
struct sleep_numbers {
	uint32_t functions;
	uint32_t stacks;
	uint32_t wakers;
};

/* Writes @sleep, or reads it; its task is then @task. Not written: off_ns,
 * same_at_begin, same_at_end, wake_ns and waker_task.
 */
void sleep_pack(struct pack *pack, struct sleep *sleep, struct task *task,
		const struct sleep_numbers *numbers);

/* Returns whether the kernel's function @name calls a kernel thread's own
 * function.
 */
bool sleep_is_thread_start(const char *name);

/* Returns whether the kernel's function @name sleeps with a timeout: its caller
 * continues even if nothing wakes it.
 */
bool sleep_is_timed(const char *name);

/* Sets *@line to the source line at which @label, a function of the kernel,
 * called at @place to sleep. Returns false if @place is 0 or debug information
 * has no such line; @lines may be NULL.
 */
bool sleep_find_line(struct lines *lines,
		     const struct function_table *functions, uint32_t label,
		     uint64_t place, struct source_line *line);

/* Tracks the sleeps of all tasks. */
struct sleeps;

/* Called for each sleep when it ends. */
struct sleep_callback {
	void (*consume)(struct sleep_callback *callback,
			const struct sleep *sleep);
};

/* The sources of sleeps, all borrowed. time, paths and calls must have
 * received each step and event before the sleeps do.
 */
struct sleeps_options {
	const struct function_table *functions;
	const struct arch *arch;
	const struct wait_channels *channels;
	const struct task_time *time;
	const struct task_paths *paths;
	const struct call_entries *calls;
	struct sleep_stacks *stacks;
	struct wakers *wakers;
};

/* Returns a tracker of sleeps that emits them to @callback, which is borrowed;
 * NULL when out of memory.
 */
struct sleeps *sleeps_new(const struct sleeps_options *options,
			  struct sleep_callback *callback);
void sleeps_free(struct sleeps *sleeps);

/* Removes all sleeps, to continue with another recording that has the same
 * functions.
 */
void sleeps_reset(struct sleeps *sleeps);

/* Apply a step, an event, or an interval of a task's time. A task's spans must
 * arrive before the step that they end with. Return 0 or -ERROR_MEMORY.
 */
int sleeps_step(struct sleeps *sleeps, const struct call_step *step);
int sleeps_event(struct sleeps *sleeps, const struct event_record *event);
int sleeps_span(struct sleeps *sleeps, const struct time_span *span);

/* Emits the open sleep of thread @tid, if any, as cut. */
void sleeps_flush(struct sleeps *sleeps, int32_t tid);

/* Emits all sleeps that have not ended, as cut. */
void sleeps_end(struct sleeps *sleeps);

#endif
