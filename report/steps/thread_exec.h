/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_THREAD_EXEC_H
#define KT_REPORT_THREAD_EXEC_H

#include "report/steps/cpu_context.h"
#include "report/steps/thread_map.h"

/* exec goes on from when there is a new program until what was open before it does.
 * In another thread than a process's first, that one has ended by then, and its id is
 * this one's from the next switch on.
 *
 * @task, which has a new program, is in an exec from here on.
 */
static inline void thread_exec_begin(struct mapped_thread *task)
{
	/* Until what is called next has returned. */
	task->exec_depth = task->stack.count + 1;
}

/* Ends what is open in the first thread of the process of @context's task. */
void thread_exec_end_first(const struct thread_map *tasks,
			   const struct cpu_context *context,
			   const struct function_event *event);

/* Ends the exec that @context's task is in, if it is done with @event. */
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
