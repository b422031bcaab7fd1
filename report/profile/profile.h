/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_PROFILE_H
#define KT_REPORT_PROFILE_PROFILE_H

/* A profile: call events added up in a call tree (call_tree.h).
 *
 *  call events --profile_callback()--> tree by part and process or group
 *      --profile_end()--> the part that the scope shows, sorted
 *      --profile_report.h--> flat profile, call graph, flame graph, gmon ...
 *
 * Invariants:
 * 1. Until profile_end(), a process or group has a root in the tree for each
 *    enum profile_part of its tasks; after it, with a scope, it has one root.
 * 2. The times of all parts (profile_part_times()), shown or not, add up to the
 *    traced time of the counted tasks on the counted CPUs in the window.
 * 3. The fast path (consume_plain) changes the tree exactly as consume() would.
 *
 * Threads: one at a time. Errors: -ERROR_MEMORY, stored and returned by
 * profile_end().
 */

#include "report/profile/call_tree.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct context_kinds;
struct step_filter;
struct task_groups;
struct task_names;

/* The parts of a profile. An interrupt in the idle loop or in one of the
 * tracer's tasks counts as work.
 */
enum profile_part {
	PROFILE_WORK, /* everything except the parts below */
	PROFILE_IDLE, /* the idle loop */
	/* the tracer's tasks, and perf's functions in other tasks */
	PROFILE_TRACER,
	PROFILE_PARTS,
};

/* Returns the name of a part, for example "idle". */
const char *profile_part_name(enum profile_part part);

/* Returns the part of task @tid. @recorder is the command line of the program
 * that made the recording (task_choice.h).
 */
enum profile_part profile_part_of_task(const struct task_names *names,
				       const char *recorder, int32_t tid);

/* Returns the part of @function, called by a function of @caller_part.
 * @ends_interrupt: its node is CALL_INTERRUPT_END.
 */
enum profile_part profile_part_of_call(const struct context_kinds *kinds,
				       uint32_t function, bool ends_interrupt,
				       enum profile_part caller_part);

/* Returns whether @function is the entry of an interrupt or works for one
 * (CONTEXT_INTERRUPT, CONTEXT_NMI, CONTEXT_SOFTIRQ). If it jumps to another
 * function at its end, the latter ends the interrupt: it is CALL_INTERRUPT_END
 * and PROFILE_WORK.
 */
bool profile_is_interrupt(const struct context_kinds *kinds, uint32_t function);

/* The parts that a report shows. */
struct profile_scope {
	const struct context_kinds *kinds; /* borrowed */
	bool shows[PROFILE_PARTS];
};

/* Returns a new tree with the parts of @tree that @scope shows, and with one
 * root per process or group; @tree has one for each part of its tasks. A
 * function whose caller is not shown gets its nearest shown caller as parent.
 * Sets @time_ns to the time of each part of @tree. Returns NULL when out of
 * memory.
 */
struct call_tree *profile_scope_apply(const struct profile_scope *scope,
				      const struct call_tree *tree,
				      uint64_t time_ns[PROFILE_PARTS]);

/* Like profile_scope_apply(), but changes @tree itself, for callers that only
 * add up functions: hidden nodes stay, with function FUNCTION_NONE and without
 * time and counts, so a caller may have several children with the same
 * function.
 *
 * Returns false when out of memory, with the tree unchanged.
 */
bool profile_scope_hide(const struct profile_scope *scope,
			struct call_tree *tree,
			uint64_t time_ns[PROFILE_PARTS]);

/* Adds up the call events of a recording into a call tree. */
struct profile;

struct profile_options {
	/* The tasks and CPUs that count; borrowed; NULL for all. */
	const struct step_filter *filter;
	struct time_window window; /* calls that start in it count */
	bool by_process;	   /* a tree per process, not one for all */
	/* A tree per group of these; NULL: no groups. Borrowed. */
	const struct task_groups *groups;
	/* The finished tree is only added up by function: the scope is applied
	 * by profile_scope_hide(), and the tree is not sorted.
	 */
	bool is_only_added;
	/* The parts that the finished tree keeps; NULL: all. Borrowed. */
	const struct profile_scope *scope;
	/* The recorder's tasks: see task_choice.h. Only with a scope. */
	const struct task_names *names;
	const char *recorder;
};

/* Returns the part of task @tid in a profile with @options: PROFILE_WORK
 * without a scope, and also if the filter selects tasks, so that these are
 * always shown.
 */
enum profile_part profile_part_of(const struct profile_options *options,
				  int32_t tid);

/* Returns whether a function to which @left jumped at its end is the end of an
 * interrupt (CALL_INTERRUPT_END).
 */
bool profile_ends_interrupt(const struct profile_options *options,
			    const struct call_node *left);

/* Returns the tree number of @task in a profile with @options: its group, its
 * process, or -1 if there is one tree for all.
 */
int32_t profile_tree_of(const struct profile_options *options,
			const struct task *task);

/* Replaces *@tree, which has all events, by the part that the scope of @options
 * shows, sorted by call_tree_sort() if required. @part_ns: see
 * profile_part_times().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int profile_finish_tree(const struct profile_options *options,
			struct call_tree **tree,
			uint64_t part_ns[PROFILE_PARTS]);

/* Returns NULL when out of memory. */
struct profile *profile_new(const struct profile_options *options);
void profile_free(struct profile *profile);

/* Returns the callback that consumes the call events. */
struct step_callback *profile_callback(struct profile *profile);

/* Returns the tree, which grows with the call events and which profile_end()
 * may replace. The profile owns it.
 */
const struct call_tree *profile_tree(const struct profile *profile);

/* Ends the profile: keeps the part of the tree that the scope shows, and sorts
 * it (call_tree_sort()) if required.
 *
 * Returns 0; or -ERROR_MEMORY, also if call events were lost for lack of
 * memory.
 */
int profile_end(struct profile *profile);

/* Returns the time of each enum profile_part, shown or not; zeros without a
 * scope.
 */
const uint64_t *profile_part_times(const struct profile *profile);

#endif
