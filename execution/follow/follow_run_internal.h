/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_FOLLOW_RUN_INTERNAL_H
#define KT_EXECUTION_FOLLOW_FOLLOW_RUN_INTERNAL_H

#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

#include <stdint.h>

/* The loop over consecutive TRACE_BITS and TRACE_TARGETs, which nearly all
 * branches are. follow_internal.h follows the others.
 */

/* Follows @branch and the branches after it up to @end, while they are bits and
 * targets and execution can be followed without a special case. @position: of
 * their batch, in the stream's bytes. Not for trace with an atom for each
 * branch.
 *
 * Returns the number of branches consumed, 0 if @branch is of another kind or
 * there is no room for more events; or -ERROR_MEMORY.
 */
int follow_run(struct execution *execution, const struct trace_branch *branch,
	       const struct trace_branch *end, uint64_t position);

#endif
