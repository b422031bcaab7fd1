/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_GROUPS_H
#define KT_REPORT_TASK_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

struct array;
struct step_filter;
struct task;
struct task_cgroups;
struct task_names;

/* What tasks are taken together by. */
enum group_by {
	GROUP_BY_NOTHING, /* each report in its own way */
	GROUP_BY_THREAD,
	GROUP_BY_PROCESS,
	GROUP_BY_COMM,	 /* the last name */
	GROUP_BY_CGROUP, /* the last one that the task was in */
	GROUP_BY_CHOICE, /* all that are chosen are one */
};

/* Returns what @name means, as "cgroup"; GROUP_BY_NOTHING: nothing. */
enum group_by group_by_find(const char *name);

/* Groups have numbers: those of single threads and processes are their ids, all
 * others are below these.
 */
enum task_group {
	GROUP_KERNEL = -3,  /* idle tasks, kernel threads, what serves all */
	GROUP_OTHER = -4,   /* programs that were not chosen */
	GROUP_NOBODY = -5,  /* work whose beneficiary is not known */
	GROUP_UNKNOWN = -6, /* tasks that the recording does not name */
	GROUP_CHOSEN = -7,
	GROUP_FIRST_NAME = -8, /* names and paths in their order, downwards */
};

/* Which group each task of a recording is in: every task is in one, so that
 * groups add up to all.  Read-only once made.
 */
struct task_groups;

/* @choice: tasks that are not in it are GROUP_KERNEL or GROUP_OTHER; where it
 * chooses nothing all but the kernel's have groups by @by.  @cgroups is for
 * GROUP_BY_CGROUP alone.  All are borrowed.
 *
 * Returns NULL when out of memory.
 */
struct task_groups *task_groups_new(enum group_by by,
				    const struct task_names *names,
				    const struct task_cgroups *cgroups,
				    const struct step_filter *choice);
void task_groups_free(struct task_groups *groups);

/* Returns the group of @task, of which pid and tid matter. */
int32_t task_groups_of(const struct task_groups *groups,
		       const struct task *task);

/* Returns the group of process @pid as a beneficiary of interrupt work: 0 is
 * the system, less is nobody.
 */
int32_t task_groups_beneficiary(const struct task_groups *groups, int32_t pid);

/* How a group is written. */
struct group_label {
	char text[512]; /* longer names are cut */
};

/* Returns "ls-137", "ls", "/system.slice/x.service", "kernel" ... */
struct group_label task_groups_label(const struct task_groups *groups,
				     int32_t group);

#endif
