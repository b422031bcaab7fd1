/* SPDX-License-Identifier: MIT */
#include "report/steps/kept_tasks.h"

#include <stdbool.h>
#include <stdlib.h>

void kept_tasks_free(struct kept_tasks *tasks)
{
	for (size_t i = 0; i < tasks->all.count; i++) {
		call_stack_free(&kept_tasks_at(tasks, i)->stack);
		free(kept_tasks_at(tasks, i));
	}
	array_free(&tasks->all);
}

struct kept_task *kept_tasks_at(const struct kept_tasks *tasks, size_t index)
{
	return *(struct kept_task **)array_at(&tasks->all, index);
}

static bool is_task(const struct task *task, int32_t cpu, int32_t tid)
{
	return task->tid == tid && (tid > 0 || task->cpu == cpu);
}

struct kept_task *kept_tasks_find(const struct kept_tasks *tasks, int32_t cpu,
				  int32_t tid)
{
	for (size_t i = tasks->all.count; i-- > 0;)
		if (is_task(&kept_tasks_at(tasks, i)->task, cpu, tid))
			return kept_tasks_at(tasks, i);
	return NULL;
}

static struct kept_task *add(struct kept_tasks *tasks)
{
	struct kept_task *task = calloc(1, sizeof(*task));
	struct kept_task **slot = task ? array_add(&tasks->all) : NULL;

	if (!slot) {
		free(task);
		return NULL;
	}
	*slot = task;
	task->stack = CALL_STACK_EMPTY;
	task->task.index = (uint32_t)tasks->all.count - 1;
	return task;
}

struct kept_task *kept_tasks_get(struct kept_tasks *tasks, int32_t cpu,
				 int32_t pid, int32_t tid)
{
	struct kept_task *task = kept_tasks_find(tasks, cpu, tid);

	if (task) {
		if (task->task.pid < 0)
			task->task.pid = pid;
		return task;
	}
	task = add(tasks);
	if (!task)
		return NULL;
	task->task.tid = tid;
	task->task.pid = pid;
	task->task.cpu = cpu;
	return task;
}

uint64_t kept_task_time(struct kept_task *task, uint64_t time_ns)
{
	if (time_ns > task->last_ns)
		task->last_ns = time_ns;
	return task->last_ns;
}
