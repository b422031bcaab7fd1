/* SPDX-License-Identifier: MIT */
#include "report/steps/call_step.h"

#include "common/bytes.h"

/* Indices are 32-bit; the maximum stands for no task. */
#define NO_TASK UINT32_MAX

void task_pack_task(const struct task_pack *tasks, const struct task **task)
{
	uint32_t index = NO_TASK;

	if (!tasks->pack->is_reading && *task)
		index = (*task)->index;
	pack_u32(tasks->pack, &index);
	if (!tasks->pack->is_reading)
		return;
	*task = NULL;
	if (tasks->pack->failed || index == NO_TASK)
		return;
	*task = tasks->find(tasks->tasks, index);
	pack_check(tasks->pack, *task);
}

void task_pack_facts(struct pack *pack, struct task *task)
{
	pack_i32(pack, &task->tid);
	pack_i32(pack, &task->pid);
	pack_i32(pack, &task->cpu);
}

void task_pack_check(const struct task_pack *tasks, uint32_t count)
{
	pack_check(tasks->pack, !count || tasks->find(tasks->tasks, count - 1));
}
