/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_DEAD_TASKS_H
#define KT_DECODER_DEAD_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sideband_record;

enum { DEAD_TASKS_MAX = 8 };

struct dead_task {
	int32_t pid;
	int32_t tid;
	bool waits; /* for its CPU: it was preempted */
};

/* The tasks of one CPU that exited last. A task that is preempted after its
 * exit, and reaped meanwhile, has no pid any more when it runs for the last
 * time (release_task() in kernel/exit.c), and perf reports it as -1. Empty when
 * zeroed.
 */
struct dead_tasks {
	struct dead_task tasks[DEAD_TASKS_MAX];
	size_t count;
	struct dead_task current; /* runs there now, if has_current */
	bool has_current;
	struct dead_task left; /* ran there before, if has_left */
	bool has_left;
};

/* Consumes the CPU's next record, in order; only SIDEBAND_EXIT and
 * SIDEBAND_SWITCH matter. Replaces a task's missing ID in @record if only one
 * dead task can be meant.
 */
void dead_tasks_take(struct dead_tasks *dead, struct sideband_record *record);

#endif
