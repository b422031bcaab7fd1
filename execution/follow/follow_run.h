/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_RUN_H
#define KT_EXECUTION_FOLLOW_RUN_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Nearly all branches are bits and targets, one after the other: this is the
 * loop over them, for what comes between see follow.h.
 */

/* Follows @branch, and those behind it up to @end, as long as they are of these
 * and execution is followed without a doubt.  @position: of their batch in the
 * stream's bytes.  Not where each branch has an atom.
 *
 * Returns how many, 0 if @branch is another or there is no room for more
 * events, or -ERROR_MEMORY.
 */
int follow_run(struct execution *execution, const struct trace_branch *branch,
	       const struct trace_branch *end, uint64_t position);

#endif
