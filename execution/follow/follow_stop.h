/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_STOP_H
#define KT_EXECUTION_FOLLOW_STOP_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Follows @branch, a TRACE_STOP, from the known position execution->block.
 * @position: of its packet, in the stream's bytes.
 */
void follow_stop(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position);

/* Follows @branch, a TRACE_STOP_THERE, at whose address execution has arrived.
 */
void follow_stop_there(struct execution *execution,
		       const struct trace_branch *branch, uint64_t position);

#endif
