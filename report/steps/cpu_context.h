/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CPU_CONTEXT_H
#define KT_REPORT_CPU_CONTEXT_H

#include "report/steps/task_stacks.h"
#include "report/steps/thread_map.h"

#include <stdbool.h>
#include <stdint.h>

/* This is what a CPU does: inside task_stacks only. */
struct cpu_context {
	struct mapped_thread *task;
	uint8_t state; /* enum cpu_state */
	bool ended;
	bool has_gap;	/* the account has the gap of CPU_GAP */
	bool is_unseen; /* nothing of what the task does since it came */
	struct cpu_account account;
	struct call_stack_output output; /* of the task's call stack */
};

/* @task runs from now on. */
void cpu_context_run(struct cpu_context *context, struct mapped_thread *task);

/* Returns a step of @kind of the task that runs, at the time of @event. */
struct call_step cpu_context_step(const struct cpu_context *context,
				  const struct function_event *event,
				  uint8_t kind);

/* The CPU is traced from FUNCTION_TRACE_START @event on. */
void cpu_context_start(struct cpu_context *context,
		       const struct function_event *event);

/* FUNCTION_TRACE_STOP @event says why it is not. */
void cpu_context_stop(struct cpu_context *context,
		      const struct function_event *event);

/* Books the time up to @event, as far as it is in @window, and the gap that it may
 * have been spent in.
 */
void cpu_context_pass(struct cpu_context *context, struct time_window window,
		      const struct function_event *event);

/* FUNCTION_GAP @event says what is lost: booked, if that is in @window. */
void cpu_context_lose(struct cpu_context *context, struct time_window window,
		      const struct function_event *event);

/* Ends at the time of @event what is open in @task, which runs there or did. */
void cpu_context_close(const struct cpu_context *context,
		       struct mapped_thread *task,
		       const struct function_event *event);

/* The CPU's trace ends with @event. */
void cpu_context_end(struct cpu_context *context,
		     const struct function_event *event);

#endif
