/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEP_FILTER_H
#define KT_REPORT_STEP_FILTER_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_choice;
struct task_names;

/* The tasks and CPUs that a report covers. An empty list selects all; a task
 * must be in at least one of the four task lists.
 */
struct step_filter {
	const struct task_names *names; /* borrowed */
	const int32_t *pids;		/* process or thread ids */
	size_t pid_count;
	const int32_t *tids; /* threads only, not their processes */
	size_t tid_count;
	const int32_t *trees; /* processes with their descendants */
	size_t tree_count;
	const struct name_choice *comms; /* borrowed; NULL: empty */
	/* If the task lists are empty: leave out the recorder's tasks, given by
	 * this command line (recorder_task.h). NULL: include them.
	 */
	const char *left_out_recorder;
	const uint32_t *cpus;
	size_t cpu_count;
};

/* Returns whether @filter selects @task; a NULL filter selects all. */
bool step_filter_task(const struct step_filter *filter,
		      const struct task *task);

/* Returns whether @filter selects @cpu. */
bool step_filter_cpu(const struct step_filter *filter, uint32_t cpu);

/* Returns whether @filter has a task list. */
bool step_filter_has_tasks(const struct step_filter *filter);

#endif
