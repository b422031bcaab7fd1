/* SPDX-License-Identifier: MIT */
#include "report/steps/thread_map.h"

#include "common/error.h"
#include "common/maps.h"
#include "report/steps/stack_switch.h"

#include <stdbool.h>
#include <stdlib.h>

void thread_map_init(struct thread_map *tasks)
{
	*tasks = (struct thread_map){
		.all = ARRAY_OF(struct mapped_thread *),
		.processes = ARRAY_OF(struct process_stacks),
	};
}

void thread_map_free(struct thread_map *tasks)
{
	for (size_t i = 0; i < tasks->all.count; i++) {
		call_stack_free(&thread_map_at(tasks, i)->stack);
		free(thread_map_at(tasks, i));
	}
	for (size_t i = 0; i < tasks->processes.count; i++) {
		struct process_stacks *process = array_at(&tasks->processes, i);

		stack_pool_free(process->pool);
	}
	array_free(&tasks->all);
	number_map_free(&tasks->indices);
	array_free(&tasks->processes);
	number_map_free(&tasks->process_of);
	switch_roles_free(&tasks->roles);
}

struct mapped_thread *thread_map_at(const struct thread_map *tasks,
				    size_t index)
{
	return *(struct mapped_thread **)array_at(&tasks->all, index);
}

/* Each CPU has its own idle task and unknown tasks. */
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

/* Returns the pool of process @pid, created if needed; NULL when out of memory.
 */
static struct stack_pool *pool_of(struct thread_map *tasks, int32_t pid)
{
	uint64_t *number =
		number_map_add(&tasks->process_of, (uint64_t)(uint32_t)pid);
	struct process_stacks *process;

	if (!number)
		return NULL;
	if (!*number) {
		process = array_add(&tasks->processes);
		if (!process)
			return NULL;
		process->pid = pid;
		*number = tasks->processes.count;
	}
	process = array_at(&tasks->processes, *number - 1);
	if (!process->pool)
		process->pool = stack_pool_new();
	return process->pool;
}

/* Sets the process of @task, unless it is already known. Returns false when out
 * of memory.
 */
static bool set_process(struct thread_map *tasks, struct mapped_thread *task,
			int32_t pid)
{
	if (task->task.pid < 0)
		task->task.pid = pid;
	if (task->stack.pool || task->task.pid <= 0)
		return true;
	task->stack.pool = pool_of(tasks, task->task.pid);
	return task->stack.pool;
}

struct mapped_thread *thread_map_get(struct thread_map *tasks, int32_t cpu,
				     int32_t pid, int32_t tid)
{
	struct mapped_thread *task = thread_map_find(tasks, cpu, tid);

	if (task)
		return set_process(tasks, task, pid) ? task : NULL;
	task = add(tasks);
	if (!task)
		return NULL;
	task->task.tid = tid;
	task->task.pid = pid;
	task->task.cpu = cpu;
	task->stack.roles = &tasks->roles;
	return give_index(tasks, &task->task) < 0 ||
			       !set_process(tasks, task, pid) ?
		       NULL :
		       task;
}
