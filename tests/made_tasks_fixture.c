/* SPDX-License-Identifier: MIT */
#include "tests/made_tasks_fixture.h"

#include <check.h>

void made_tasks_belong(struct made_tasks *tasks, int32_t tid, int32_t pid)
{
	ck_assert_uint_lt(tasks->process_count, MADE_TASKS);
	tasks->processes[tasks->process_count][0] = tid;
	tasks->processes[tasks->process_count++][1] = pid;
}

int32_t made_tasks_process(const struct made_tasks *tasks, int32_t tid)
{
	for (size_t i = 0; i < tasks->process_count; i++)
		if (tasks->processes[i][0] == tid)
			return tasks->processes[i][1];
	return tid;
}

struct made_task *made_tasks_find(struct made_tasks *tasks, uint32_t cpu,
				  int32_t tid)
{
	struct made_task *task = tasks->items;

	for (; task < tasks->items + tasks->count; task++)
		if (task->task.tid == tid &&
		    (tid || task->task.cpu == (int32_t)cpu))
			return task;
	ck_assert_uint_lt(tasks->count, MADE_TASKS);
	task->task = (struct task){
		.index = tasks->count++,
		.tid = tid,
		.pid = made_tasks_process(tasks, tid),
		.cpu = (int32_t)cpu,
	};
	return task;
}
