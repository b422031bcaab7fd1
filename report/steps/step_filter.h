/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEP_FILTER_H
#define KT_REPORT_STEP_FILTER_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_choice;
struct task_names;

/* Which tasks and CPUs a report is about.  An empty list stands for all; of
 * the four task lists a task must be in one.
 */
struct step_filter {
	const struct task_names *names; /* borrowed */
	const int32_t *pids;		/* process or thread ids */
	size_t pid_count;
	const int32_t *tids; /* threads, without their processes */
	size_t tid_count;
	const int32_t *trees; /* processes with their descendants */
	size_t tree_count;
	const struct name_choice *comms; /* borrowed; NULL: empty */
	/* Without a choice of tasks: not those of the program that recorded, by
	 * this command line (recorder_task.h).  NULL: them, too.
	 */
	const char *left_out_recorder;
	const uint32_t *cpus;
	size_t cpu_count;
};

/* Returns whether @filter is about @task; a NULL filter is about all. */
bool step_filter_task(const struct step_filter *filter,
		      const struct task *task);

/* Returns whether @filter is about @cpu. */
bool step_filter_cpu(const struct step_filter *filter, uint32_t cpu);

/* Returns whether @filter chooses among tasks at all. */
bool step_filter_has_tasks(const struct step_filter *filter);

#endif
