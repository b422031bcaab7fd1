/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_CYCLES_H
#define KT_EXECUTION_ATOM_CYCLES_H

#include <stdint.h>

struct execution;

/* Cycle counts between atoms: execution between two counts gets that much work.
 * Without time stamps, they are the clock.
 */

/* Consume a count of the cycles since the last one, 0 if the unit does not
 * know; or the count that accompanies a time stamp, 0 if none does.
 */
void atom_cycles_take(struct execution *execution, uint64_t cycles);
void atom_cycles_take_stamped(struct execution *execution, uint64_t cycles);

/* Marks that the next count may cover untraced execution. */
void atom_cycles_lose(struct execution *execution);

#endif
