/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_UNTRACED_WAKEUPS_H
#define KT_ATTRIBUTION_UNTRACED_WAKEUPS_H

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct function_table;
struct task_pack;

/* Wake-ups that the trace shows without an event: perf's own.
 * perf_pending_irq() of kernel/events/core.c holds perf's recursion guard,
 * which suppresses perf's events, while it wakes the threads that poll for
 * records, so sched_waking is not recorded. The trace does not show which
 * thread it wakes.
 */
struct untraced_wakeups;

/* Looks up all @functions once. Returns NULL when out of memory. */
struct untraced_wakeups *
untraced_wakeups_new(const struct function_table *functions);
void untraced_wakeups_free(struct untraced_wakeups *wakes);

/* Removes all state from steps. */
void untraced_wakeups_clear(struct untraced_wakeups *wakes);

/* Writes the state, or reads it into @wakes, which must be new. */
void untraced_wakeups_pack(struct untraced_wakeups *wakes,
			   const struct task_pack *tasks);

/* Consumes a STEP_ENTER or STEP_EXIT. Returns 0 or -ERROR_MEMORY. */
int untraced_wakeups_take(struct untraced_wakeups *wakes,
			  const struct call_step *step);

/* Returns whether calls of @function must be passed to untraced_wakeups_take().
 */
bool untraced_wakeups_has(const struct untraced_wakeups *wakes,
			  uint32_t function);

/* Returns whether perf is waking a thread, so that function exits must be
 * passed to untraced_wakeups_take(), too.
 */
bool untraced_wakeups_are_open(const struct untraced_wakeups *wakes);

/* The last wake-up. */
struct untraced_wakeup {
	uint64_t time_ns; /* 0: there was none */
	int32_t tid;	  /* the task on whose time it ran */
};

struct untraced_wakeup
untraced_wakeups_last(const struct untraced_wakeups *wakes);

/* Returns whether @function removes a thread from the run queue. In the
 * scheduler that is the thread that goes to sleep.
 */
bool untraced_wakeups_blocks(const struct untraced_wakeups *wakes,
			     uint32_t function);

#endif
