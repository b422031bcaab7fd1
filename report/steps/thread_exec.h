/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_THREAD_EXEC_H
#define KT_REPORT_THREAD_EXEC_H

#include "report/steps/cpu_context.h"
#include "report/steps/thread_map.h"

/* Follows exec, from the event of the new program until the functions open at
 * that time have ended. If a thread other than the first of its process
 * executes, the first one has ended by then, and the thread has the first one's
 * id from the next switch on.
 *
 * Marks @task, which has a new program, as being in exec.
 */
static inline void thread_exec_begin(struct mapped_thread *task)
{
	/* Until the function called next has returned. */
	task->exec_depth = task->stack.count + 1;
}

/* Exits the open functions of the first thread in the process of @context's
 * task.
 */
void thread_exec_end_first(const struct thread_map *tasks,
			   const struct cpu_context *context,
			   const struct function_event *event);

/* Ends the exec of @context's task if @event completes it. */
static inline void thread_exec_follow(const struct thread_map *tasks,
				      const struct cpu_context *context,
				      const struct function_event *event)
{
	struct mapped_thread *task = context->task;

	if (task->stack.count >= task->exec_depth)
		return;
	task->exec_depth = 0;
	thread_exec_end_first(tasks, context, event);
}

#endif
