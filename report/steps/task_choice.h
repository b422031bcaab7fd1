/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_TASK_CHOICE_H
#define KT_REPORT_STEPS_TASK_CHOICE_H

/* Selects the tasks that a report is about, and groups them: a filter of tasks
 * and CPUs (struct step_filter), a test for the recorder's own tasks, and
 * groups whose sums add up to the whole (struct task_groups). A filter selects
 * a task by any name that it had; groups and the test for the recorder's tasks
 * use its last name, so that a task is in one group throughout a report.
 */

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct name_choice;
struct recording;
struct task_cgroups;
struct task_names;

/* Finds the task that ran at the start of @stream: the stream's own task; or
 * the task that ran before the first switch of its CPU, or of the first start
 * record.
 *
 * Returns 0 and sets *@pid and *@tid, -1 if no record has them; or returns
 * -ERROR_MEMORY.
 */
int first_task(const struct recording *recording,
	       const struct aux_stream *stream, int32_t *pid, int32_t *tid);

/* Returns whether task @tid belongs to the program that made the recording:
 * @command is that program's command line as recorded, "" if unknown. Decided
 * by the task's last name, since the recorded command has the recorder's name
 * until exec.
 */
bool recorder_task_is(const struct task_names *names, const char *command,
		      int32_t tid);

/* Returns whether process @pid is the command that the recorder started, or a
 * descendant of it; @command is as for recorder_task_is().
 */
bool recorder_started(const struct task_names *names, const char *command,
		      int32_t pid);

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
	 * this command line (recorder_task_is()). NULL: include them.
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

/* The key by which tasks are grouped. */
enum group_by {
	GROUP_BY_NOTHING, /* each report's default */
	GROUP_BY_THREAD,
	GROUP_BY_PROCESS,
	GROUP_BY_COMM,	 /* last name */
	GROUP_BY_CGROUP, /* last cgroup of the task */
	GROUP_BY_CHOICE, /* all chosen tasks are one group */
};

/* Returns the value for @name, such as "cgroup"; GROUP_BY_NOTHING if invalid.
 */
enum group_by group_by_find(const char *name);

/* Group numbers: groups of single threads and processes have their ids, all
 * others have the following numbers or lower ones.
 */
enum task_group {
	/* idle tasks, kernel threads, work for the system */
	GROUP_KERNEL = -3,
	GROUP_OTHER = -4,   /* programs that were not chosen */
	GROUP_NOBODY = -5,  /* work without a known beneficiary */
	GROUP_UNKNOWN = -6, /* tasks that the recording does not name */
	GROUP_CHOSEN = -7,
	GROUP_FIRST_NAME = -8, /* names and paths in order, downwards */
};

/* Maps each task of a recording to its group. Every task is in exactly one, so
 * that groups add up to the whole. Read-only after creation.
 */
struct task_groups;

/* Groups the tasks. @choice: tasks not in it are GROUP_KERNEL or GROUP_OTHER;
 * if it is empty, all tasks except the kernel's are grouped by @by. @cgroups is
 * only used for GROUP_BY_CGROUP. All are borrowed.
 *
 * Returns NULL when out of memory.
 */
struct task_groups *task_groups_new(enum group_by by,
				    const struct task_names *names,
				    const struct task_cgroups *cgroups,
				    const struct step_filter *choice);
void task_groups_free(struct task_groups *groups);

/* Returns the group of @task; only its pid and tid are used. */
int32_t task_groups_of(const struct task_groups *groups,
		       const struct task *task);

/* Returns the group of process @pid as a beneficiary of interrupt work; 0 is
 * the system, a negative @pid is not a process.
 */
int32_t task_groups_beneficiary(const struct task_groups *groups, int32_t pid);

/* A group's name as text. */
struct group_label {
	char text[512]; /* longer names are cut */
};

/* Returns "ls-137", "ls", "/system.slice/x.service", "kernel" ... */
struct group_label task_groups_label(const struct task_groups *groups,
				     int32_t group);

#endif
