/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_TIMES_H
#define KT_EXECUTION_ATOM_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* When what atoms tell of happened.  Time stamps lie between them: what is told
 * of behind one was committed behind it, but may have begun before.  Where
 * there are none cycles are the clock, or instructions.
 */

/* Records added next lie within these. */
void atom_times_set_bounds(struct execution *execution, uint64_t low_ns,
			   uint64_t high_ns);

/* Something begins now, a block or other: records added next are of now.  If
 * the time is known, so is that of all before.
 */
void atom_times_begin(struct execution *execution, bool is_block);

/* The first block has begun: the next ones begin later. */
void atom_times_go_on(struct execution *execution);

/* Some blocks ran. */
void atom_times_end(struct execution *execution);

/* Records added next are of the moment at which the last block ended. */
void atom_times_after(struct execution *execution);

/* The time is @now_ns: whatever has no upper bound happened by then. */
void atom_times_set_now(struct execution *execution, uint64_t now_ns);

/* Takes a time stamp.  Returns 0 or -ERROR_MEMORY. */
int atom_times_stamp(struct execution *execution, uint64_t ticks);

/* Another record is added, at event_times.work @work: where instructions are
 * the clock each has its own time.
 */
void atom_times_stamp_record(struct execution *execution, uint64_t work);

/* Looks for code that changed by @time_ns.  Returns 0 or -ERROR_MEMORY. */
int atom_times_update_code(struct execution *execution, uint64_t time_ns);

#endif
