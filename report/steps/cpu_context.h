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

/* FUNCTION_GAP @event says what is lost. */
void cpu_context_lose(struct cpu_context *context,
		      const struct function_event *event);

#endif
