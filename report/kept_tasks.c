/* SPDX-License-Identifier: MIT */
#include "report/kept_tasks.h"

#include <stdbool.h>
#include <stdlib.h>

struct kept_task *kept_tasks_at(const struct kept_tasks *kept, size_t index)
{
	return *(struct kept_task **)array_at(&kept->tasks, index);
}

void kept_tasks_free(struct kept_tasks *kept)
{
	for (size_t i = 0; i < kept->tasks.count; i++) {
		call_stack_free(&kept_tasks_at(kept, i)->stack);
		free(kept_tasks_at(kept, i));
	}
	array_free(&kept->tasks);
}

/* The idle task and unknown ones exist once per CPU. */
static bool is_task(const struct task *task, int32_t cpu, int32_t tid)
{
	return task->tid == tid && (tid > 0 || task->cpu == cpu);
}

struct kept_task *kept_tasks_find(const struct kept_tasks *kept, int32_t cpu,
				  int32_t tid)
{
	for (size_t i = kept->tasks.count; i-- > 0;)
		if (is_task(&kept_tasks_at(kept, i)->task, cpu, tid))
			return kept_tasks_at(kept, i);
	return NULL;
}

struct kept_task *kept_tasks_get(struct kept_tasks *kept, int32_t cpu,
				 int32_t pid, int32_t tid)
{
	struct kept_task *task = kept_tasks_find(kept, cpu, tid);
	struct kept_task **slot;

	if (task) {
		if (task->task.pid < 0)
			task->task.pid = pid;
		return task;
	}
	task = calloc(1, sizeof(*task));
	slot = task ? array_add(&kept->tasks) : NULL;
	if (!slot) {
		free(task);
		return NULL;
	}
	*slot = task;
	task->stack = CALL_STACK_EMPTY;
	task->task = (struct task){
		.index = (uint32_t)kept->tasks.count - 1,
		.tid = tid,
		.pid = pid,
		.cpu = cpu,
	};
	return task;
}

uint64_t kept_task_time(struct kept_task *task, uint64_t time_ns)
{
	if (time_ns > task->last_ns)
		task->last_ns = time_ns;
	return task->last_ns;
}
