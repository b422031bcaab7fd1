/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_PLACE_H
#define KT_EXECUTION_PLACE_H

#include <stdint.h>

struct execution;
struct flow_item;
struct trace_branch;
union timed_record;

/* Where execution is: it comes to a place by what the trace says, stops, or is
 * lost.
 */

/* Goes to @address by what the trace says; the way there is @exit (enum
 * flow_exit, or one of execution.h).
 */
void place_go(struct execution *execution, uint64_t address, uint8_t exit);

/* Goes on at @branch's address although how it came there is unknown. */
void place_resume(struct execution *execution,
		  const struct trace_branch *branch);

/* What comes next is interrupted, here and now. */
void place_interrupt(struct execution *execution);

/* Tracing stops: @reason is an enum flow_stop, @address where execution goes
 * on, 0 if that is not known.
 */
void place_stop(struct execution *execution, uint8_t reason, uint64_t address);

/* The same without saying it. */
void place_leave(struct execution *execution, uint8_t reason);

/* Execution goes on unseen. */
void place_lose(struct execution *execution);

/* A stretch of trace that is missing or cannot be followed. */
struct trace_gap {
	uint8_t reason;	     /* enum flow_gap_reason */
	uint64_t position;   /* in the stream's bytes, where it begins */
	uint64_t lost_bytes; /* 0 if unknown */
};

/* Adds @gap to the records: execution goes on unseen from now on. */
void place_gap(struct execution *execution, const struct trace_gap *gap);

/* The same where its record, @record, is added already. */
void place_gap_at(struct execution *execution, union timed_record *record,
		  const struct trace_gap *gap);

/* Execution cannot be followed: adds a gap, at @position in the stream. */
void place_fail(struct execution *execution, uint64_t position);

/* Adds an item to a list of blocks. */
struct flow_item *place_item(struct execution *execution, uint8_t kind,
			     uint8_t detail);

/* The same, but only if it is a list: what events do not show. */
void place_list(struct execution *execution, uint8_t kind, uint8_t detail,
		uint64_t payload);

#endif
