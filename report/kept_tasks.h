/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_KEPT_TASKS_H
#define KT_REPORT_KEPT_TASKS_H

#include "common/array.h"
#include "report/call_stack.h"

/* A task and what it has open, also while it sleeps. */
struct kept_task {
	struct task task;
	struct call_stack stack;
	uint64_t clock_ns;
	uint64_t last_ns;		/* of its newest step */
	size_t exec_depth;		/* of an exec that goes on; 0: none */
};

/* All tasks that were met, in the order in which they were. */
struct kept_tasks {
	struct array tasks;		/* struct kept_task * */
};

void kept_tasks_free(struct kept_tasks *kept);

/* Returns the task @tid, which is added if it is new; a task whose process was
 * not known gets it.  The idle task (0) and unknown ones (negative) exist once
 * for each CPU.  NULL: out of memory.
 */
struct kept_task *kept_tasks_get(struct kept_tasks *kept, int32_t cpu,
				 int32_t pid, int32_t tid);

/* Returns the task, or NULL if it was not met. */
struct kept_task *kept_tasks_find(const struct kept_tasks *kept, int32_t cpu,
				  int32_t tid);

struct kept_task *kept_tasks_at(const struct kept_tasks *kept, size_t index);

/* Returns @time_ns, or the task's last time if that is later: its time goes on
 * when it comes to a CPU whose clock is a little behind that of the one it
 * left.
 */
uint64_t kept_task_time(struct kept_task *task, uint64_t time_ns);

#endif
