/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_H
#define KT_EXECUTION_FOLLOW_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Follows branches of trace, one by one: the general code for each kind of
 * branch. follow_run.h has a faster loop for the most frequent kinds, and
 * execution/atoms/ follows the branches of Arm's trace units.
 *
 *	TRACE_TARGET, _BITS      follow_bits.c: run the code up to the branch
 *	TRACE_REACH, _INTERRUPT  follow.c: run the code up to the address
 *	TRACE_STOP, _STOP_THERE  follow_stop.c: run up to the end of tracing
 *	TRACE_OVERFLOW, _GAP,
 *	_BREAK, _END             follow_loss.c: gaps, and the end
 *	TRACE_GUEST and more     follow_guest.c: virtual machines
 *
 * 1. If the code does not lead where the trace says, that is one gap; execution
 *    resumes at the next address in the trace.
 * 2. After each branch, kernel code is that of the branch's estimated time, and
 *    user code that of the process found at the last entry into user space or
 *    sync point: follow_code.h.
 */

/* Follows @branch, the next one of the stream. The branches after it, up to
 * @end, may be read ahead. @position: of its packet, in the stream's bytes.
 * Requires room for EVENT_TIMES_SPARE records.
 *
 * Returns 0 or -ERROR_MEMORY; trace that cannot be followed is a gap.
 */
int follow_branch(struct execution *execution,
		  const struct trace_branch *branch,
		  const struct trace_branch *end, uint64_t position);

#endif
