/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_WALK_ASSUME_H
#define KT_EXECUTION_WALK_ASSUME_H

#include <stdbool.h>
#include <stdint.h>

struct execution;
struct trace_branch;

/* Follows generated code whose bytes are unknown at the time, by the trace.
 *
 * A program that patches its own code, as Java's VM links a call to the method
 * that it found, changes bytes between two readings of the recorder, so which of
 * them ran is unknown. The trace often decides: code that did not run soon has an
 * indirect branch where the trace has a direction, or the other way round.
 *
 *	stuck at an unknown block
 *	   │ walk the trace ahead, without running anything; each unknown block
 *	   │ is as the last reading has it, or as the next one has it
 *	   ▼
 *	the only possibility ─► execution->assumed: the blocks to follow there
 *	   │ else
 *	   ▼
 *	gap
 *
 * 1. A block is assumed only if the trace agrees with the code from there up to
 *    PROOF_TARGETS more targets, and contradicts the other reading.
 * 2. Only functions that are alone at their addresses in all the program's time
 *    are followed (code_space_has_one_function()): a name is never of another
 *    function that was there.
 * 3. Code that the program had between two readings, and that none has, is taken
 *    for impossible, unless the trace contradicts both readings.
 */

/* Must be called where @execution is stuck before the last @bits_left bits of
 * @branch, a TRACE_BITS, or before @branch, a TRACE_TARGET, with bits_left 0.
 * The branches up to @end may be read ahead. @position: of @branch's packet, in
 * the stream's bytes. Sets execution->block to the code that must have run.
 * Returns false if that is unknown.
 */
bool assume_code(struct execution *execution, const struct trace_branch *branch,
		 const struct trace_branch *end, unsigned int bits_left,
		 uint64_t position);

#endif
