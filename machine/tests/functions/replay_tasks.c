/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/replay_tasks.h"

#include <stdlib.h>

static size_t new_task(struct replay *replay, int64_t pid, uint64_t base)
{
	size_t index = replay->task_count++;

	replay->tasks = reallocarray(replay->tasks, replay->task_count,
				     sizeof(*replay->tasks));
	if (!replay->tasks)
		abort();
	replay->tasks[index] = (struct task_frames){
		.number = index,
		.pid = pid,
		.base = base,
	};
	return index;
}

size_t replay_task_of_stack(struct replay *replay, uint64_t sp)
{
	uint64_t base = sp & -STACK_SIZE;

	for (size_t i = replay->task_count; i-- > 0;)
		if (replay->tasks[i].base == base && !replay->tasks[i].is_dead)
			return i;
	return new_task(replay, -1, base);
}

/* A task that ran from the start was known only by its stack until now. */
size_t replay_task_of_pid(struct replay *replay, int64_t pid, uint64_t sp)
{
	size_t index;

	for (size_t i = replay->task_count; i-- > 0;)
		if (replay->tasks[i].pid == pid && !replay->tasks[i].is_dead)
			return i;
	index = replay_task_of_stack(replay, sp);
	if (replay->tasks[index].pid != -1) {
		replay->tasks[index].is_dead = true;
		index = new_task(replay, -1, sp & -STACK_SIZE);
	}
	replay->tasks[index].pid = pid;
	return index;
}
