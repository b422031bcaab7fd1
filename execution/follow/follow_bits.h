/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_BITS_H
#define KT_EXECUTION_FOLLOW_BITS_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Goes on as @branch says, which are TRACE_BITS, where execution is known.  Those
 * behind it, up to @end, may be looked at.  @position: of its packet.
 */
void follow_bits(struct execution *execution, const struct trace_branch *branch,
		 const struct trace_branch *end, uint64_t position);

/* The same from where execution->bits_left of its bits say nothing of where it
 * goes on.
 */
void follow_stuck_bits(struct execution *execution,
		       const struct trace_branch *branch,
		       const struct trace_branch *end, uint64_t position);

/* The same for a TRACE_TARGET. */
void follow_target(struct execution *execution,
		   const struct trace_branch *branch, uint64_t position);

/* The same where the code does not lead to a branch that could go there. */
void follow_stuck_target(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position);

#endif
