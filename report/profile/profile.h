/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_H
#define KT_REPORT_PROFILE_H

#include "report/profile/call_tree.h"
#include "report/profile/profile_scope.h"
#include "report/steps/call_step.h"

#include <stdbool.h>

struct step_filter;
struct task_groups;

/* Adds up the steps of a recording into a call tree. */
struct profile;

struct profile_options {
	/* The tasks and CPUs that count; borrowed; NULL for all. */
	const struct step_filter *filter;
	struct time_window window; /* calls in this window count */
	bool by_process;	   /* one tree per process */
	/* One tree per group instead; NULL if not. Borrowed. */
	const struct task_groups *groups;
	/* The finished tree is only added up (profile_scope_hide()) and need
	 * not be sorted.
	 */
	bool is_only_added;
	/* The part of the finished tree that is kept; NULL: all. Borrowed. */
	const struct profile_scope *scope;
	/* The recorder's tasks: see task_choice.h. Only with a scope. */
	const struct task_names *names;
	const char *recorder;
};

/* Returns the part of task @tid in a profile with @options. Tasks selected by
 * name are always shown.
 */
enum profile_part profile_part_of(const struct profile_options *options,
				  int32_t tid);

/* Returns the tree number of @task in a profile with @options: its group, its
 * process, or -1 if there is one tree for all.
 */
int32_t profile_tree_of(const struct profile_options *options,
			const struct task *task);

/* Replaces a finished *@tree by the part that the scope of @options shows,
 * sorted by call_tree_sort() if required. @part_ns: see profile_part_times().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int profile_finish_tree(const struct profile_options *options,
			struct call_tree **tree,
			uint64_t part_ns[PROFILE_PARTS]);

/* Returns NULL when out of memory. */
struct profile *profile_new(const struct profile_options *options);
void profile_free(struct profile *profile);

/* Returns the callback that consumes the steps. */
struct step_callback *profile_callback(struct profile *profile);

/* Returns the tree, which grows with the steps. The profile owns it. */
const struct call_tree *profile_tree(const struct profile *profile);

/* Ends the steps: keeps the part of the tree that the scope shows, and sorts it
 * (call_tree_sort()) if required.
 *
 * Returns 0; or -ERROR_MEMORY, also if steps were lost for lack of memory.
 */
int profile_end(struct profile *profile);

/* Returns the time of each enum profile_part, shown or not; zeros without a
 * scope.
 */
const uint64_t *profile_part_times(const struct profile *profile);

#endif
