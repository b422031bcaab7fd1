/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_GAPS_H
#define KT_EXECUTION_ATOM_GAPS_H

#include <stdint.h>

struct execution;

/* Interruptions of atom decoding: gaps, which are emitted with their size when
 * they end, and stops of the trace.
 */

/* Opens a gap, which lasts until the next execution. Consecutive gaps of the
 * same reason are merged. @position: in the stream's bytes.
 */
void atom_gaps_open(struct execution *execution, uint8_t reason,
		    uint64_t position);

/* Ends the open gap, if any, at @position. */
void atom_gaps_close(struct execution *execution, uint64_t position);

/* Adds a gap without bytes: execution continues at a different address than the
 * trace implies.
 */
void atom_gaps_add(struct execution *execution, uint8_t reason,
		   uint64_t position);

/* Stops tracing after the last executed instruction; @reason: enum flow_stop.
 */
void atom_gaps_stop(struct execution *execution, uint8_t reason);

/* Returns the reason of the stop, given the address where tracing resumes. */
uint8_t atom_gaps_stop_reason(struct execution *execution);

#endif
