/* SPDX-License-Identifier: MIT */
#include "report/steps/kept_tasks.h"

#include "common/error.h"
#include "common/number_map.h"

#include <stdlib.h>

int kept_tasks_init(struct kept_tasks *tasks)
{
	tasks->all = ARRAY_OF(struct kept_task *);
	tasks->indices = number_map_new();
	return tasks->indices ? 0 : -ERROR_MEMORY;
}

void kept_tasks_free(struct kept_tasks *tasks)
{
	for (size_t i = 0; i < tasks->all.count; i++) {
		call_stack_free(&kept_tasks_at(tasks, i)->stack);
		free(kept_tasks_at(tasks, i));
	}
	array_free(&tasks->all);
	number_map_free(tasks->indices);
}

struct kept_task *kept_tasks_at(const struct kept_tasks *tasks, size_t index)
{
	return *(struct kept_task **)array_at(&tasks->all, index);
}

/* Each CPU has an idle task and unknown ones of its own. */
static uint64_t key_of(int32_t cpu, int32_t tid)
{
	return (uint64_t)(uint32_t)(tid > 0 ? 0 : cpu) << 32 | (uint32_t)tid;
}

struct kept_task *kept_tasks_find(const struct kept_tasks *tasks, int32_t cpu,
				  int32_t tid)
{
	const uint64_t *index =
		number_map_find(tasks->indices, key_of(cpu, tid));

	return index ? kept_tasks_at(tasks, *index) : NULL;
}

static int give_index(struct kept_tasks *tasks, const struct task *task)
{
	uint64_t *index =
		number_map_add(tasks->indices, key_of(task->cpu, task->tid));

	if (!index)
		return -ERROR_MEMORY;
	*index = task->index;
	return 0;
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
	return give_index(tasks, &task->task) < 0 ? NULL : task;
}
