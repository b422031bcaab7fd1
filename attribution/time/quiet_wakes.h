/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_QUIET_WAKES_H
#define KT_ATTRIBUTION_QUIET_WAKES_H

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct function_table;

/* Wake-ups that the trace shows and the kernel's events do not: perf's own.
 * perf_pending_irq() of kernel/events/core.c holds what keeps perf's events
 * from being about perf while it wakes those who poll for records, so that
 * sched_waking is not recorded.  Whom it wakes the trace does not tell.
 */
struct quiet_wakes;

/* Looks at all @functions once.  Returns NULL when out of memory. */
struct quiet_wakes *quiet_wakes_new(const struct function_table *functions);
void quiet_wakes_free(struct quiet_wakes *wakes);

/* Takes a STEP_ENTER or STEP_EXIT.  Returns 0 or -ERROR_MEMORY. */
int quiet_wakes_take(struct quiet_wakes *wakes, const struct call_step *step);

/* Returns whether it matters that @function begins. */
bool quiet_wakes_has(const struct quiet_wakes *wakes, uint32_t function);

/* Returns whether @step, of any kind, does anything in quiet_wakes_take(). */
bool quiet_wakes_concern(const struct quiet_wakes *wakes,
			 const struct call_step *step);

/* Returns whether it matters when functions end: perf is waking somebody. */
bool quiet_wakes_are_open(const struct quiet_wakes *wakes);

/* The last one. */
struct quiet_wake {
	uint64_t time_ns; /* 0: there was none */
	int32_t tid;	  /* on whose time it was */
};

struct quiet_wake quiet_wakes_last(const struct quiet_wakes *wakes);

/* Returns whether @function takes a thread off the queue of those that want to
 * run: in the scheduler, of the one that goes to sleep.
 */
bool quiet_wakes_blocks(const struct quiet_wakes *wakes, uint32_t function);

#endif
