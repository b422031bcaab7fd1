/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_BITS_H
#define KT_EXECUTION_FOLLOW_BITS_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* The branches after one, as far as they are decoded. */
struct branch_range {
	const struct trace_branch *next;
	const struct trace_branch *end;
};

/* Follows @branch, a TRACE_BITS, from a known position. @behind are the
 * branches after it, to look for deferred targets. @position: of its packet, in
 * the stream's bytes.
 */
void follow_bits(struct execution *execution, const struct trace_branch *branch,
		 const struct branch_range *behind, uint64_t position);

/* Like follow_bits(), from the position where the last execution->bits_left
 * bits of @branch could not be consumed.
 */
void follow_stuck_bits(struct execution *execution,
		       const struct trace_branch *branch,
		       const struct branch_range *behind, uint64_t position);

/* Follows @branch, a TRACE_TARGET, from a known position. */
void follow_target(struct execution *execution,
		   const struct trace_branch *branch, uint64_t position);

/* Like follow_target(), after the code did not lead to a branch that could go
 * to the target: adds a gap and resumes at the target.
 */
void follow_stuck_target(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position);

#endif
