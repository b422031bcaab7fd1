/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_CYCLES_H
#define KT_EXECUTION_ATOM_CYCLES_H

#include <stdint.h>

struct execution;

/* Counts of cycles between atoms: what ran in them weighs as many.  Where no
 * time stamps are they are the clock.
 */

/* Takes a count of the cycles since the last one, 0 if the unit does not know;
 * or one that comes with a time stamp, 0 if none does.
 */
void atom_cycles_take(struct execution *execution, uint64_t cycles);
void atom_cycles_take_stamped(struct execution *execution, uint64_t cycles);

/* What the next count will be of is not known to be what is traced. */
void atom_cycles_lose(struct execution *execution);

#endif
