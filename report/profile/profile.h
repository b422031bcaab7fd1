/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_H
#define KT_REPORT_PROFILE_H

#include "report/profile/call_tree.h"
#include "report/profile/profile_scope.h"
#include "report/steps/call_step.h"
#include "report/steps/task_stacks.h"

#include <stdbool.h>

struct step_filter;

/* Adds up the steps of a recording into a call tree. */
struct profile;

struct profile_options {
	/* Which tasks and CPUs count; borrowed; NULL for all. */
	const struct step_filter *filter;
	struct time_window window;	/* which calls count */
	bool by_process;		/* one tree a process */
	/* What is kept of the finished tree; NULL: all.  Borrowed. */
	const struct profile_scope *scope;
	/* Who recorded: see recorder_task.h.  With a scope only. */
	const struct task_names *names;
	const char *recorder;
};

/* Returns NULL when out of memory. */
struct profile *profile_new(const struct profile_options *options);
void profile_free(struct profile *profile);

/* Where the profile takes its steps. */
struct step_sink *profile_sink(struct profile *profile);

/* Returns the tree, which grows as steps come; owner: the profile. */
const struct call_tree *profile_tree(const struct profile *profile);

/* No more steps come: keeps of the tree what the scope shows, and sorts it
 * (call_tree_sort()).
 *
 * Returns 0, or -ERROR_MEMORY, also if steps were lost for lack of memory.
 */
int profile_end(struct profile *profile);

/* Returns the time of each enum profile_part, shown or not; zeros without a
 * scope.
 */
const uint64_t *profile_part_times(const struct profile *profile);

#endif
