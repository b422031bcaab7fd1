/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_UNTRACED_WAKEUPS_H
#define KT_ATTRIBUTION_UNTRACED_WAKEUPS_H

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct function_table;
struct task_pack;

/* Wake-ups that the trace shows and the kernel's events do not: perf's own.
 * perf_pending_irq() of kernel/events/core.c holds what keeps perf's events
 * from being about perf while it wakes those who poll for records, so that
 * sched_waking is not recorded.  Whom it wakes the trace does not tell.
 */
struct untraced_wakeups;

/* Looks at all @functions once.  Returns NULL when out of memory. */
struct untraced_wakeups *
untraced_wakeups_new(const struct function_table *functions);
void untraced_wakeups_free(struct untraced_wakeups *wakes);

/* Forgets all that was taken. */
void untraced_wakeups_clear(struct untraced_wakeups *wakes);

/* Writes all that was taken, or sets @wakes, which has taken nothing, to what it
 * reads.
 */
void untraced_wakeups_pack(struct untraced_wakeups *wakes,
			   const struct task_pack *tasks);

/* Takes a STEP_ENTER or STEP_EXIT.  Returns 0 or -ERROR_MEMORY. */
int untraced_wakeups_take(struct untraced_wakeups *wakes,
			  const struct call_step *step);

/* Returns whether it matters that @function begins. */
bool untraced_wakeups_has(const struct untraced_wakeups *wakes,
			  uint32_t function);

/* Returns whether it matters when functions end: perf is waking somebody. */
bool untraced_wakeups_are_open(const struct untraced_wakeups *wakes);

/* The last one. */
struct untraced_wakeup {
	uint64_t time_ns; /* 0: there was none */
	int32_t tid;	  /* on whose time it was */
};

struct untraced_wakeup
untraced_wakeups_last(const struct untraced_wakeups *wakes);

/* Returns whether @function takes a thread off the queue of those that want to
 * run: in the scheduler, of the one that goes to sleep.
 */
bool untraced_wakeups_blocks(const struct untraced_wakeups *wakes,
			     uint32_t function);

#endif
