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

/* Tracks the system calls of all tasks. */
struct system_calls;

/* Creates a tracker, which borrows all arguments. Set @results_are_behind if
 * the trace contains only chosen calls: the sys_exit of a call then follows the
 * end of the call in the trace, and the call has ended only when sys_exit has
 * arrived or system_calls_give_up() was called. Returns NULL when out of
 * memory.
 */
struct system_calls *system_calls_new(const struct function_table *functions,
				      const struct arch *arch,
				      const struct context_kinds *kinds,
				      const struct call_entries *entries,
				      bool results_are_behind);
void system_calls_free(struct system_calls *calls);

/* The effect of a step or event on the task's system call. */
enum system_call_change {
	CALL_NOTHING,
	CALL_BEGAN,
	CALL_ENDED, /* read the call now: the next step may reuse it */
};

/* Updates the page faults of the call of @step->task from the @count kernel
 * contexts that the task has @open since @step started or ended a context. Must
 * be called before system_calls_step().
 */
void system_calls_contexts(struct system_calls *calls,
			   const struct call_step *step,
			   const struct open_context *open, size_t count);

/* Applies a step. The task's spans up to @step must have been passed to
 * system_calls_span() before.
 *
 * Returns an enum system_call_change of step->task, or -ERROR_MEMORY.
 */
int system_calls_step(struct system_calls *calls, const struct call_step *step);

/* Applies sys_enter, which the call entries must have received before, or
 * sys_exit. @task is the task of the event. Returns an enum system_call_change
 * of @task, or -ERROR_MEMORY.
 */
int system_calls_event(struct system_calls *calls, const struct task *task,
		       const struct event_record *event);

/* Stops waiting for the result of the last call of task @index. Returns
 * CALL_ENDED if the tracker was waiting for it.
 */
int system_calls_give_up(struct system_calls *calls, uint32_t index);

/* Returns an upper bound of the number of tasks: all task indexes are smaller.
 */
uint32_t system_calls_tasks(const struct system_calls *calls);

/* Marks @task as exiting: the next step in which it leaves its CPU is its last.
 */
void system_calls_exit(struct system_calls *calls, const struct task *task);

/* Adds an interval of a task's time to its open call. */
void system_calls_span(struct system_calls *calls,
		       const struct time_span *span);

/* Returns the open call of task @index or, right after CALL_ENDED, the call
 * that ended. NULL if there is none.
 */
const struct system_call *system_calls_of(const struct system_calls *calls,
					  uint32_t index);

#endif
