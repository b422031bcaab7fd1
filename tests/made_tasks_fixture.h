/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_MADE_TASKS_FIXTURE_H
#define KT_TESTS_MADE_TASKS_FIXTURE_H

#include "report/steps/call_frames.h"
#include "report/steps/call_step.h"

#include <stddef.h>
#include <stdint.h>

enum { MADE_TASKS = 32, MADE_DEPTH = 32 };

/* A thread of a made-up recording, and its open functions. */
struct made_task {
	struct task task;
	uint32_t depth;
	struct call_frame frames[MADE_DEPTH];
	uint64_t clock_ns;
};

/* All threads, in order of appearance; all zeros is an empty set. */
struct made_tasks {
	struct made_task items[MADE_TASKS];
	uint32_t count;
	int32_t processes[MADE_TASKS][2]; /* tid, pid */
	size_t process_count;
};

/* Makes thread @tid part of process @pid; by default each thread is a process.
 */
void made_tasks_belong(struct made_tasks *tasks, int32_t tid, int32_t pid);
int32_t made_tasks_process(const struct made_tasks *tasks, int32_t tid);

/* Returns thread @tid and adds it if it is new; each CPU has a thread 0 of its
 * own.
 */
struct made_task *made_tasks_find(struct made_tasks *tasks, uint32_t cpu,
				  int32_t tid);

#endif
