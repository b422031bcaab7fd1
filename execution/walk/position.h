/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_PLACE_H
#define KT_EXECUTION_PLACE_H

#include <stdint.h>

struct execution;
struct flow_item;
struct trace_branch;
union timed_record;

/* Sets the position of execution (struct execution: block, from, exit) where
 * the trace, not the code, determines it:
 *
 *	position_go(), position_resume()   at an address in the trace
 *	position_interrupt()               an interrupt before the current block
 *	position_stop(), position_leave()  the trace stops: the address where
 *	                                   execution continues is known at most
 *	position_gap(), position_fail()    trace is missing, or contradicts the code
 *
 * Each stop, loss and gap ends the counting of task switches
 * (walk_lose_switches()), because switch points may be untraced; a loss or gap
 * also clears the return stack. Moves along the code are in walk.h.
 */

/* Sets the position to @address, which the trace reports. @exit is how
 * execution got there: an enum flow_exit, or an EXIT_ value of execution.h.
 */
void position_go(struct execution *execution, uint64_t address, uint8_t exit);

/* Resumes at @branch's address. The source of the branch is unknown. */
void position_resume(struct execution *execution,
		     const struct trace_branch *branch);

/* Interrupts execution before execution->block runs: the interruption will
 * return to the block's address. Requires a known block.
 */
void position_interrupt(struct execution *execution);

/* Stops tracing and adds a record of that. @reason is an enum flow_stop,
 * @address the address where execution continues, 0 if unknown.
 */
void position_stop(struct execution *execution, uint8_t reason,
		   uint64_t address);

/* Like position_stop(), but adds no record. */
void position_leave(struct execution *execution, uint8_t reason);

/* Trace that is missing or cannot be followed. */
struct trace_gap {
	uint8_t reason;	     /* enum flow_gap_reason */
	uint64_t position;   /* start of the gap, in the stream's bytes */
	uint64_t lost_bytes; /* 0 if unknown */
};

/* Adds a record of @gap and sets the position to unknown. */
void position_gap(struct execution *execution, const struct trace_gap *gap);

/* Like position_gap(), but writes to @record, which the caller has added. */
void position_gap_at(struct execution *execution, union timed_record *record,
		     const struct trace_gap *gap);

/* Adds a gap at @position in the stream, because execution cannot be followed;
 * the kind of the current block gives the reason. If the block ends in a branch
 * whose target the trace lacks, the block runs first.
 */
void position_fail(struct execution *execution, uint64_t position);

/* Adds an item to a list of blocks. The caller sets its payload. */
struct flow_item *execution_list_item(struct execution *execution, uint8_t kind,
				      uint8_t detail);

/* Like execution_list_item(), but with @payload, and does nothing if records
 * are events, which have no equivalent.
 */
void execution_list(struct execution *execution, uint8_t kind, uint8_t detail,
		    uint64_t payload);

#endif
