/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_STOP_H
#define KT_EXECUTION_FOLLOW_STOP_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Follows @branch, a TRACE_STOP, from execution->block on; @position is as of
 * follow_branch().
 */
void follow_stop(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position);

/* The same for a TRACE_STOP_THERE, whose place it has come to. */
void follow_stop_there(struct execution *execution,
		       const struct trace_branch *branch, uint64_t position);

#endif
