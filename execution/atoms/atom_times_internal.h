/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOMS_ATOM_TIMES_INTERNAL_H
#define KT_EXECUTION_ATOMS_ATOM_TIMES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* Times of execution that atoms report. Time stamps lie between atoms:
 * execution reported after a time stamp was committed after it, but may have
 * started before. Without time stamps, cycles are the clock, or else
 * instructions.
 */

/* Sets the time bounds of records added next. */
void atom_times_set_bounds(struct execution *execution, uint64_t low_ns,
			   uint64_t high_ns);

/* Must be called when a block (@is_block) or anything else starts now: sets the
 * time of records added next. If the time is known, all earlier records are
 * finished.
 */
void atom_times_begin(struct execution *execution, bool is_block);

/* Must be called after the first block has started: the next blocks start
 * later.
 */
void atom_times_go_on(struct execution *execution);

/* Must be called after some blocks ran. */
void atom_times_end(struct execution *execution);

/* Sets the time of records added next to the end of the last block. */
void atom_times_after(struct execution *execution);

/* Consumes a time stamp. Returns 0 or -ERROR_MEMORY. */
int atom_times_stamp(struct execution *execution, uint64_t ticks);

/* Must be called when a record is added at event_times.work @work: if
 * instructions are the clock each record has its own time.
 */
void atom_times_stamp_record(struct execution *execution, uint64_t work);

/* Applies code changes up to @time_ns. Returns 0 or -ERROR_MEMORY. */
int atom_times_update_code(struct execution *execution, uint64_t time_ns);

/* Cycle counts between atoms: execution between two counts gets that much work.
 * Without time stamps, they are the clock.
 */

/* Consume a count of the cycles since the last one, 0 if the unit does not
 * know; or the count that accompanies a time stamp, 0 if none does.
 */
void atom_cycles_consume(struct execution *execution, uint64_t cycles);

void atom_cycles_consume_stamped(struct execution *execution, uint64_t cycles);

/* Marks that the next count may cover untraced execution. */
void atom_cycles_lose(struct execution *execution);

#endif
