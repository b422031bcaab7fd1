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

/* The tasks of one CPU that ended last.  One that is preempted behind its end, and
 * meanwhile waited for, has no number any more when it runs for the last time
 * (release_task() in kernel/exit.c), and perf calls it -1.  Zeroed, there are none.
 */
struct dead_tasks {
	struct dead_task tasks[DEAD_TASKS_MAX];
	size_t count;
	struct dead_task current; /* that runs there, if has_current */
	bool has_current;
	struct dead_task left; /* that ran there before, if has_left */
	bool has_left;
};

/* Takes a record of the CPU, in order: SIDEBAND_EXIT and SIDEBAND_SWITCH matter.
 * Gives a task without a number its own, in @record, where only one can be meant.
 */
void dead_tasks_take(struct dead_tasks *dead, struct sideband_record *record);

#endif
