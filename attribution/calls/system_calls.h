/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SYSTEM_CALLS_H
#define KT_ATTRIBUTION_SYSTEM_CALLS_H

#include "attribution/calls/system_call.h"

#include <stddef.h>

struct call_entries;
struct event_record;
struct open_context;
struct arch;
struct function_table;
struct context_kinds;

/* Follows the tasks through their system calls. */
struct system_calls;

/* Borrows all.  @results_are_behind: the trace is of chosen calls alone, and a call's
 * sys_exit comes behind its end in the trace; the call has ended when that has come,
 * or is given up.  Returns NULL when out of memory.
 */
struct system_calls *system_calls_new(const struct function_table *functions,
				      const struct arch *arch,
				      const struct context_kinds *kinds,
				      const struct call_entries *entries,
				      bool results_are_behind);
void system_calls_free(struct system_calls *calls);

/* This is what a step changed. */
enum system_call_change {
	CALL_NOTHING,
	CALL_BEGAN,
	CALL_ENDED, /* look at it now: the next step may reuse it */
};

/* Takes the @count kernel contexts that @step->task has @open since @step began or
 * ended one: which faults its call has.  Before system_calls_step().
 */
void system_calls_contexts(struct system_calls *calls,
			   const struct call_step *step,
			   const struct open_context *open, size_t count);

/* Applies a step; its task's spans must have been taken up to it.
 *
 * Returns an enum system_call_change of step->task, or -ERROR_MEMORY.
 */
int system_calls_step(struct system_calls *calls, const struct call_step *step);

/* Takes sys_enter, which the entries have taken before, and sys_exit; @task is the
 * event's.  Returns an enum
 * system_call_change of @task, or -ERROR_MEMORY.
 */
int system_calls_event(struct system_calls *calls, const struct task *task,
		       const struct event_record *event);

/* Waits no more for the result of the call that task @index was in.  Returns
 * CALL_ENDED if it did.
 */
int system_calls_give_up(struct system_calls *calls, uint32_t index);

/* Returns how many tasks there may be: each has a smaller index. */
uint32_t system_calls_tasks(const struct system_calls *calls);

/* Tells that the next step in which @task leaves its CPU is its last. */
void system_calls_exit(struct system_calls *calls, const struct task *task);

/* Takes a stretch of a task's time. */
void system_calls_span(struct system_calls *calls,
		       const struct time_span *span);

/* Returns the call that task @index is in, or right after CALL_ENDED was in;
 * NULL if it is in none.
 */
const struct system_call *system_calls_of(const struct system_calls *calls,
					  uint32_t index);

#endif
