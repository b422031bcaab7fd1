/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_SCOPE_H
#define KT_REPORT_PROFILE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

struct call_tree;
struct task_names;
struct context_kinds;

/* The parts of a profile.  An interrupt in the idle loop or in one of the
 * tracer's tasks is work like any other.
 */
enum profile_part {
	PROFILE_WORK,	/* all but what follows */
	PROFILE_IDLE,	/* the idle loop */
	PROFILE_TRACER, /* the tracer's tasks, and perf's functions in others */
	PROFILE_PARTS,
};

/* Returns a part's name, as "idle". */
const char *profile_part_name(enum profile_part part);

/* Returns the part that task @tid is of; @recorder is the command line of the
 * program that made the recording (recorder_task.h).
 */
enum profile_part profile_part_of_task(const struct task_names *names,
				       const char *recorder, int32_t tid);

/* Returns the part that @function is of where one of @caller_part calls it. */
enum profile_part profile_part_of_call(const struct context_kinds *kinds,
				       uint32_t function,
				       enum profile_part caller_part);

/* Which of them a report shows. */
struct profile_scope {
	const struct context_kinds *kinds; /* borrowed */
	bool shows[PROFILE_PARTS];
};

/* Makes of @tree, whose roots are of parts of the tasks, one that holds what
 * @scope shows, with one root for each process.  Where a caller is not shown,
 * the function hangs on the caller's caller.
 *
 * Returns the new tree, and in @time_ns what the parts of @tree took; NULL
 * when out of memory.
 */
struct call_tree *profile_scope_apply(const struct profile_scope *scope,
				      const struct call_tree *tree,
				      uint64_t time_ns[PROFILE_PARTS]);

/* The same in @tree itself, for who only adds up its functions: nodes that are not
 * shown stay, with function FUNCTION_NONE and nothing counted, and a caller may have
 * several children of one function.
 *
 * Returns false when out of memory, the tree being as it was.
 */
bool profile_scope_hide(const struct profile_scope *scope,
			struct call_tree *tree,
			uint64_t time_ns[PROFILE_PARTS]);

#endif
