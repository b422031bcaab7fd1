/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_H
#define KT_EXECUTION_FOLLOW_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Goes on as @branch says, the next of the stream; those behind it, up to @end,
 * may be looked at.  @position: of its packet in the stream's bytes.
 *
 * Needs room for what it adds, unless it is TRACE_BITS: see follow_bits().
 * Returns 0 or -ERROR_MEMORY; what cannot be followed is a gap.
 */
int follow_branch(struct execution *execution,
		  const struct trace_branch *branch,
		  const struct trace_branch *end, uint64_t position);

#endif
