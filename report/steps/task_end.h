/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_END_H
#define KT_REPORT_TASK_END_H

#include <stdbool.h>
#include <stdint.h>

struct call_stack;
struct function_table;

/* Functions that show the end of a task; FUNCTION_NONE if the kernel does not
 * have one (kernel/sched/core.c, kernel/events/core.c).
 */
struct task_end {
	uint32_t dead; /* do_task_dead(): never switched to again */
	/* perf_event_exit_task(): turns an ending task's trace off, with
	 * per-task tracing
	 */
	uint32_t untraced;
	uint32_t schedule; /* __schedule(): the task may also sleep in it */
};

struct task_end task_end_of(const struct function_table *functions);

/* Returns whether a task that leaves its CPU with @stack will never run again.
 */
bool task_end_is_in(const struct task_end *end, const struct call_stack *stack);

#endif
