/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_THREAD_MAP_H
#define KT_REPORT_THREAD_MAP_H

#include "common/array.h"
#include "common/maps.h"
#include "report/steps/call_stack.h"
#include "report/steps/call_step.h"
#include "report/steps/switch_roles.h"

#include <stddef.h>
#include <stdint.h>

/* A task, and its state while it does not run. */
struct mapped_thread {
	struct task task;
	struct call_stack stack;
	uint32_t exec_depth; /* depth of an exec in progress; 0: none */
	uint64_t clock_ns;   /* see struct call_step */
	uint64_t whole_ns;
	uint64_t last_ns; /* of its last call event */
};

/* The suspended stacks of a process. */
struct process_stacks {
	int32_t pid;
	struct stack_pool *pool;
};

/* All tasks of the trace, in order of appearance; pointers to them stay valid.
 */
struct thread_map {
	struct array all; /* struct mapped_thread * */
	struct number_map indices;
	/* struct process_stacks, in order of appearance */
	struct array processes;
	struct number_map process_of; /* index in processes + 1, by pid */
	struct switch_roles roles;    /* borrowed by the tasks' stacks */
};

/* Makes @tasks empty. */
void thread_map_init(struct thread_map *tasks);
void thread_map_free(struct thread_map *tasks);

/* Returns task @index, counted from 0. */
struct mapped_thread *thread_map_at(const struct thread_map *tasks,
				    size_t index);

/* Returns task @tid, or NULL; on @cpu if it is a per-CPU task (the idle task,
 * or an unknown one).
 */
struct mapped_thread *thread_map_find(const struct thread_map *tasks,
				      int32_t cpu, int32_t tid);

/* Returns the task, adding it if it is new; NULL when out of memory. */
struct mapped_thread *thread_map_get(struct thread_map *tasks, int32_t cpu,
				     int32_t pid, int32_t tid);

/* Returns @time_ns, or the task's last time if that is later: its time must not
 * go back when it moves to a CPU whose clock is a little behind the previous
 * CPU's.
 */
static inline uint64_t mapped_thread_time(struct mapped_thread *task,
					  uint64_t time_ns)
{
	if (time_ns > task->last_ns)
		task->last_ns = time_ns;
	return task->last_ns;
}

#endif
