/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_BITS_H
#define KT_EXECUTION_FOLLOW_BITS_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* This is what comes behind a branch, as far as it is known. */
struct branch_range {
	const struct trace_branch *next;
	const struct trace_branch *end;
};

/* Goes on as @branch says, which are TRACE_BITS, where execution is known; @behind it
 * may be looked at.  @position: of its packet.
 */
void follow_bits(struct execution *execution, const struct trace_branch *branch,
		 const struct branch_range *behind, uint64_t position);

/* The same from where execution->bits_left of its bits say nothing of where it
 * goes on.
 */
void follow_stuck_bits(struct execution *execution,
		       const struct trace_branch *branch,
		       const struct branch_range *behind, uint64_t position);

/* The same for a TRACE_TARGET. */
void follow_target(struct execution *execution,
		   const struct trace_branch *branch, uint64_t position);

/* The same where the code does not lead to a branch that could go there. */
void follow_stuck_target(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position);

#endif
