/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_GAPS_H
#define KT_EXECUTION_ATOM_GAPS_H

#include <stdint.h>

struct execution;

/* Where following atoms breaks off: gaps, which are told of when they end, with
 * their size, and stops of the trace.
 */

/* Execution from here on is unknown, up to what runs next.  More of the same is
 * one gap.  @position: in the stream's bytes.
 */
void atom_gaps_open(struct execution *execution, uint8_t reason,
		    uint64_t position);

/* Ends the gap, if there is one, at @position. */
void atom_gaps_close(struct execution *execution, uint64_t position);

/* Execution has to go on elsewhere than the trace says it does: a gap without
 * bytes.
 */
void atom_gaps_add(struct execution *execution, uint8_t reason,
		   uint64_t position);

/* Tracing stopped behind what ran last; @reason: enum flow_stop. */
void atom_gaps_stop(struct execution *execution, uint8_t reason);

/* Returns why it did, seen from where it goes on. */
uint8_t atom_gaps_stop_reason(struct execution *execution);

#endif
