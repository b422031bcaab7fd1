/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOMS_ATOM_TIMES_INTERNAL_H
#define KT_EXECUTION_ATOMS_ATOM_TIMES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* Times of execution that is reported by atoms, one for each branch
 * (TRACE_ATOMS). A time stamp is between two atoms: execution that is reported
 * after a time stamp ended after it, but may have started before it. Without
 * time stamps, cycles are the clock, or else instructions.
 */

/* Sets the time bounds of records added next. */
void atom_times_set_bounds(struct execution *execution, uint64_t low_ns,
			   uint64_t high_ns);

/* Gives the records that are added next the current time. Must be called when a
 * block (@is_block) or anything else that makes records starts. If the current
 * time is known, all earlier records are finished.
 */
void atom_times_begin(struct execution *execution, bool is_block);

/* Makes the last time stamp the lower time bound of records added next. Must be
 * called after the first block has started, because the next blocks start
 * later.
 */
void atom_times_go_on(struct execution *execution);

/* Counts the instructions that ran since the last call, and makes the current
 * time bounds those of the last block's end. Must be called after blocks ran.
 */
void atom_times_end(struct execution *execution);

/* Sets the time of records added next to the end of the last block. */
void atom_times_after(struct execution *execution);

/* Consumes a time stamp. Returns 0 or -ERROR_MEMORY. */
int atom_times_stamp(struct execution *execution, uint64_t ticks);

/* If instructions are the clock, sets the time of the record that is added
 * next, at event_times.work @work. Must be called before each such record.
 */
void atom_times_stamp_record(struct execution *execution, uint64_t work);

/* Applies code changes up to @time_ns. Returns 0 or -ERROR_MEMORY. */
int atom_times_update_code(struct execution *execution, uint64_t time_ns);

/* Cycle counts between atoms: execution between two counts gets that much work.
 * Without time stamps, they are the clock.
 */

/* atom_cycles_consume() applies @cycles, counted since the last count; 0: the
 * unit lost count. atom_cycles_consume_stamped() applies the count that
 * accompanies a time stamp; 0: none does.
 */
void atom_cycles_consume(struct execution *execution, uint64_t cycles);

void atom_cycles_consume_stamped(struct execution *execution, uint64_t cycles);

/* Marks that the next count may cover untraced execution. */
void atom_cycles_lose(struct execution *execution);

#endif
