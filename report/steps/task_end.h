/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_END_H
#define KT_REPORT_TASK_END_H

#include <stdbool.h>
#include <stdint.h>

struct call_stack;
struct function_table;

/* The functions by which a task's end is seen; FUNCTION_NONE where the kernel
 * has no such function (kernel/sched/core.c, kernel/events/core.c).
 */
struct task_end {
	uint32_t dead;	   /* do_task_dead(): never switched to again */
	uint32_t untraced; /* perf_event_exit_task(): an ending task's trace is
			    * off from there on, where tasks are traced one by
			    * one */
	uint32_t schedule; /* __schedule(): it may sleep in there, too */
};

struct task_end task_end_of(const struct function_table *functions);

/* Returns whether a task that leaves its CPU with @stack does not come back. */
bool task_end_is_in(const struct task_end *end, const struct call_stack *stack);

#endif
