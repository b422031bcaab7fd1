/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_THREAD_MAP_H
#define KT_REPORT_THREAD_MAP_H

#include "common/array.h"
#include "common/number_map.h"
#include "report/steps/call_stack.h"
#include "report/steps/call_step.h"
#include "report/steps/switch_roles.h"

#include <stddef.h>
#include <stdint.h>

/* A task, and what is kept of it while it does not run. */
struct mapped_thread {
	struct task task;
	struct call_stack stack;
	uint32_t exec_depth; /* of an exec that goes on; 0: none */
	uint64_t clock_ns;   /* see struct call_step */
	uint64_t whole_ns;
	uint64_t last_ns; /* of its newest step */
};

/* The suspended stacks of a process. */
struct process_stacks {
	int32_t pid;
	struct stack_pool *pool;
};

/* All tasks seen, in order of appearance; each stays in place. */
struct thread_map {
	struct array all; /* struct mapped_thread * */
	struct number_map indices;
	struct array processes; /* struct process_stacks, as they appear */
	struct number_map process_of; /* index + 1 there, by pid */
	struct switch_roles roles;    /* which the tasks' stacks borrow */
};

/* Makes @tasks empty. */
void thread_map_init(struct thread_map *tasks);
void thread_map_free(struct thread_map *tasks);

/* Returns task @index, counted from 0. */
struct mapped_thread *thread_map_at(const struct thread_map *tasks,
				    size_t index);

/* Returns task @tid, on @cpu if it is one that each CPU has (the idle task, an
 * unknown one), or NULL.
 */
struct mapped_thread *thread_map_find(const struct thread_map *tasks,
				      int32_t cpu, int32_t tid);

/* Returns the task, adding it if it is new; NULL when out of memory. */
struct mapped_thread *thread_map_get(struct thread_map *tasks, int32_t cpu,
				     int32_t pid, int32_t tid);

/* Returns @time_ns, or the task's last time if that is later: its time goes on
 * when it comes to a CPU whose clock is a little behind that of the one it
 * left.
 */
static inline uint64_t mapped_thread_time(struct mapped_thread *task,
					  uint64_t time_ns)
{
	if (time_ns > task->last_ns)
		task->last_ns = time_ns;
	return task->last_ns;
}

#endif
