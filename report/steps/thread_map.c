/* SPDX-License-Identifier: MIT */
#include "report/steps/thread_map.h"

#include "common/error.h"
#include "common/number_map.h"

#include <stdlib.h>

void thread_map_init(struct thread_map *tasks)
{
	*tasks = (struct thread_map){
		.all = ARRAY_OF(struct mapped_thread *),
	};
}

void thread_map_free(struct thread_map *tasks)
{
	for (size_t i = 0; i < tasks->all.count; i++) {
		call_stack_free(&thread_map_at(tasks, i)->stack);
		free(thread_map_at(tasks, i));
	}
	array_free(&tasks->all);
	number_map_free(&tasks->indices);
}

struct mapped_thread *thread_map_at(const struct thread_map *tasks,
				    size_t index)
{
	return *(struct mapped_thread **)array_at(&tasks->all, index);
}

/* Each CPU has an idle task and unknown ones of its own. */
static uint64_t key_of(int32_t cpu, int32_t tid)
{
	return (uint64_t)(uint32_t)(tid > 0 ? 0 : cpu) << 32 | (uint32_t)tid;
}

struct mapped_thread *thread_map_find(const struct thread_map *tasks,
				      int32_t cpu, int32_t tid)
{
	const uint64_t *index =
		number_map_find(&tasks->indices, key_of(cpu, tid));

	return index ? thread_map_at(tasks, *index) : NULL;
}

static int give_index(struct thread_map *tasks, const struct task *task)
{
	uint64_t *index =
		number_map_add(&tasks->indices, key_of(task->cpu, task->tid));

	if (!index)
		return -ERROR_MEMORY;
	*index = task->index;
	return 0;
}

static struct mapped_thread *add(struct thread_map *tasks)
{
	struct mapped_thread *task = calloc(1, sizeof(*task));
	struct mapped_thread **slot = task ? array_add(&tasks->all) : NULL;

	if (!slot) {
		free(task);
		return NULL;
	}
	*slot = task;
	task->task.index = (uint32_t)tasks->all.count - 1;
	return task;
}

struct mapped_thread *thread_map_get(struct thread_map *tasks, int32_t cpu,
				     int32_t pid, int32_t tid)
{
	struct mapped_thread *task = thread_map_find(tasks, cpu, tid);

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
