/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_FOLLOW_INTERNAL_H
#define KT_EXECUTION_FOLLOW_FOLLOW_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct execution;
struct trace_branch;

/* Follows branches of trace, one by one: the general code for each kind of
 * branch. follow_run_internal.h has a faster loop for the most frequent kinds,
 * and execution/atoms/ follows the branches of Arm's trace units.
 *
 *	TRACE_TARGET, _BITS      run the code up to the branch
 *	TRACE_REACH, _INTERRUPT  run the code up to the address
 *	TRACE_STOP, _STOP_THERE  run up to the end of tracing
 *	TRACE_OVERFLOW, _GAP,
 *	_BREAK, _END             gaps, and the end
 *	TRACE_GUEST and more     virtual machines: follow_guest()
 *
 * 1. If the code does not lead where the trace says, that is one gap; execution
 *    resumes at the next address in the trace.
 * 2. After each branch, kernel code is that of the branch's estimated time, and
 *    user code that of the process found at the last entry into user space or
 *    sync point: follow_update_code(), follow_sync_code().
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

/* Keeps the code at the state that execution has reached. Kernel code is that
 * of the estimated time. With Intel PT, the process and its mappings are found
 * at sync points (follow_sync_code()) and entries into user space
 * (walk_enter_user()), from time bounds and the trace between. Blocks with
 * changed code are read again.
 */

/* Applies code changes up to the estimated time of the last branch, like
 * walk_set_code(), if there are any. Returns 0 or -ERROR_MEMORY.
 */
int follow_update_code(struct execution *execution);

/* Restores the code right after the sync point whose time bounds are
 * execution->sync.low_ns and high_ns: applies or reverts code changes so that
 * the next change is the one at @next_ns. Returns 0 or -ERROR_MEMORY.
 */
int follow_restore_code(struct execution *execution, uint64_t next_ns);

/* The branches that follow a branch, as far as they are decoded. */
struct branch_range {
	const struct trace_branch *next;
	const struct trace_branch *end;
};

/* Follows the rest of a TRACE_BITS, from the position where the last
 * execution->bits_left bits of @branch could not be consumed.
 */
void follow_stuck_bits(struct execution *execution,
		       const struct trace_branch *branch,
		       const struct branch_range *behind, uint64_t position);

/* Must be called after the code did not lead to a branch that could go
 * to the target: adds a gap and resumes at the target.
 */
void follow_stuck_target(struct execution *execution,
			 const struct trace_branch *branch, uint64_t position);

/* Returns whether @branch, a TRACE_START, is where the kernel has switched the
 * unit on: after the kernel's wrmsr or, with some units, at it.
 */
bool follow_is_switched_on(struct execution *execution,
			   const struct trace_branch *branch);

#endif
