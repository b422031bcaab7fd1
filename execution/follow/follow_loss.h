/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_LOSS_H
#define KT_EXECUTION_FOLLOW_LOSS_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Lost trace, and the end of trace. Lost trace becomes a gap, after which the
 * time bounds are wider. @position: of the packet, in the stream's bytes.
 */

/* Follows a TRACE_OVERFLOW. */
void follow_overflow(struct execution *execution,
		     const struct trace_branch *branch, uint64_t position);

/* Follows a TRACE_GAP: trace that could not be read. */
void follow_unread(struct execution *execution,
		   const struct trace_branch *branch, uint64_t position);

/* Follows a TRACE_BREAK or TRACE_END. */
void follow_break(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position);

#endif
