/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_STACK_PATHS_H
#define KT_REPORT_PROFILE_STACK_PATHS_H

#include "report/profile/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack that had time or calls of its own. */
struct stack_path {
	int32_t tree; /* process or group, -1: all */
	/* outermost first, functions and states (enum frame_state); borrowed */
	const uint32_t *functions;
	size_t depth; /* at least 1 */
	/* it is the time of the process outside of functions and states; its
	 * only function is FUNCTION_UNKNOWN
	 */
	bool is_outside;
	uint64_t self_ns;
	uint64_t calls; /* of the innermost function in this stack */
	/* how often the trace started in the innermost function */
	uint64_t starts;
};

/* Returns 0 to go on, or a negative enum error. */
typedef int stack_path_visitor(void *ctx, const struct stack_path *path);

/* Calls @visit for each stack of @tree that has time or calls, callers before
 * callees, the trees one after the other. With @has_states, also calls it for
 * the time of each process outside of functions.
 *
 * A stack and its process have at most DEPTH_DRAWN levels. A deeper stack is
 * cut to these levels, then FRAME_LEFT_OUT and its innermost function; cut
 * stacks that are equal are added up. Otherwise memory and output would grow
 * with the square of the depth.
 *
 * Returns 0, -ERROR_MEMORY, or the error of @visit.
 */
int stack_paths_visit(const struct call_tree *tree, bool has_states,
		      stack_path_visitor *visit, void *ctx);

#endif
