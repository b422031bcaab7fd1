/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CPU_CONTEXT_H
#define KT_REPORT_CPU_CONTEXT_H

#include "report/steps/task_stacks.h"
#include "report/steps/thread_map.h"

#include <stdbool.h>
#include <stdint.h>

/* The current state of a CPU. Private to task_stacks.c and its helpers. */
struct cpu_context {
	struct mapped_thread *task;
	uint8_t state; /* enum cpu_state */
	bool ended;
	bool has_gap; /* the account has counted the gap of CPU_GAP */
	/* nothing of the task was traced since it was switched to */
	bool is_unseen;
	struct cpu_account account;
	struct call_stack_output output; /* of the task's call stack */
};

/* Makes @task the running task. */
void cpu_context_run(struct cpu_context *context, struct mapped_thread *task);

/* Returns a step of @kind of the running task, at the time of @event. */
struct call_step cpu_context_step(const struct cpu_context *context,
				  const struct function_event *event,
				  uint8_t kind);

/* Applies FUNCTION_TRACE_START @event, from which the CPU is traced. */
void cpu_context_start(struct cpu_context *context,
		       const struct function_event *event);

/* Applies FUNCTION_TRACE_STOP @event, which has the reason. */
void cpu_context_stop(struct cpu_context *context,
		      const struct function_event *event);

/* Accounts the time up to @event that is in @window, and the gap in which it
 * may have been spent.
 */
void cpu_context_pass(struct cpu_context *context, struct time_window window,
		      const struct function_event *event);

/* Applies FUNCTION_GAP @event; counts the lost bytes if it is in @window. */
void cpu_context_lose(struct cpu_context *context, struct time_window window,
		      const struct function_event *event);

/* Exits, at the time of @event, the open functions of @task, which runs or ran
 * on the CPU.
 */
void cpu_context_close(const struct cpu_context *context,
		       struct mapped_thread *task,
		       const struct function_event *event);

/* Ends the CPU's trace with @event. */
void cpu_context_end(struct cpu_context *context,
		     const struct function_event *event);

#endif
