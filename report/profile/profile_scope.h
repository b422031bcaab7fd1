/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_SCOPE_H
#define KT_REPORT_PROFILE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

struct call_tree;
struct task_names;
struct context_kinds;

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

/* Returns the part of @function when called by a function of @caller_part. */
enum profile_part profile_part_of_call(const struct context_kinds *kinds,
				       uint32_t function,
				       enum profile_part caller_part);

/* The parts that a report shows. */
struct profile_scope {
	const struct context_kinds *kinds; /* borrowed */
	bool shows[PROFILE_PARTS];
};

/* Returns a new tree with the parts of @tree that @scope shows, with one root
 * per process. The roots of @tree are by part. A function whose caller is not
 * shown moves to the nearest shown caller. Sets @time_ns to the time of each
 * part of @tree. Returns NULL when out of memory.
 */
struct call_tree *profile_scope_apply(const struct profile_scope *scope,
				      const struct call_tree *tree,
				      uint64_t time_ns[PROFILE_PARTS]);

/* Like profile_scope_apply(), in @tree itself, for callers that only add up
 * functions: hidden nodes stay, with function FUNCTION_NONE and zero counts,
 * and a caller may have several children with the same function.
 *
 * Returns false when out of memory, with the tree unchanged.
 */
bool profile_scope_hide(const struct profile_scope *scope,
			struct call_tree *tree,
			uint64_t time_ns[PROFILE_PARTS]);

#endif
