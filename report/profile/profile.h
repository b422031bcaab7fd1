/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_H
#define KT_REPORT_PROFILE_H

#include "report/profile/call_tree.h"
#include "report/profile/profile_scope.h"
#include "report/steps/call_step.h"
#include "report/steps/task_stacks.h"

#include <stdbool.h>

struct step_filter;
struct task_groups;

/* Adds up the steps of a recording into a call tree. */
struct profile;

struct profile_options {
	/* Which tasks and CPUs count; borrowed; NULL for all. */
	const struct step_filter *filter;
	struct time_window window; /* which calls count */
	bool by_process;	   /* one tree a process */
	/* One tree a group, instead; NULL: not so.  Borrowed. */
	const struct task_groups *groups;
	/* The finished tree is only added up (profile_scope_hide()), and so need
	 * not be sorted.
	 */
	bool is_only_added;
	/* This is what is kept of the finished tree; NULL: all.  Borrowed. */
	const struct profile_scope *scope;
	/* Who recorded: see recorder_task.h.  With a scope only. */
	const struct task_names *names;
	const char *recorder;
};

/* Returns the part that a profile by @options has task @tid in: tasks that were
 * chosen by name are shown whatever they are.
 */
enum profile_part profile_part_of(const struct profile_options *options,
				  int32_t tid);

/* Returns the number of the tree that a profile by @options has @task in: its
 * group, its process, or -1 if there is one for all.
 */
int32_t profile_tree_of(const struct profile_options *options,
			const struct task *task);

/* Puts in the place of a finished *@tree what the scope of @options leaves of it,
 * sorted by call_tree_sort() if it is to be; @part_ns: see profile_part_times().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int profile_finish_tree(const struct profile_options *options,
			struct call_tree **tree,
			uint64_t part_ns[PROFILE_PARTS]);

/* Returns NULL when out of memory. */
struct profile *profile_new(const struct profile_options *options);
void profile_free(struct profile *profile);

/* Where the profile takes its steps. */
struct step_callback *profile_callback(struct profile *profile);

/* Returns the tree, which grows as steps come; owner: the profile. */
const struct call_tree *profile_tree(const struct profile *profile);

/* No more steps come: keeps of the tree what the scope shows, and sorts it
 * (call_tree_sort()) if that is wanted.
 *
 * Returns 0, or -ERROR_MEMORY, also if steps were lost for lack of memory.
 */
int profile_end(struct profile *profile);

/* Returns the time of each enum profile_part, shown or not; zeros without a
 * scope.
 */
const uint64_t *profile_part_times(const struct profile *profile);

#endif
