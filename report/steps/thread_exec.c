/* SPDX-License-Identifier: MIT */
#include "report/steps/thread_exec.h"

void thread_exec_end_first(const struct thread_map *tasks,
			   const struct cpu_context *context,
			   const struct function_event *event)
{
	const struct task *task = &context->task->task;
	struct mapped_thread *first = NULL;

	if (task->pid > 0 && task->tid != task->pid)
		first = thread_map_find(tasks, context->account.cpu, task->pid);
	if (first)
		cpu_context_close(context, first, event);
}
