/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PRIORITY_H
#define KT_COLLECTOR_PRIORITY_H

#include <stdbool.h>

/* Lets the calling thread run before all ordinary ones as soon as it wakes
 * up, but not its future children: sched(7), SCHED_FIFO.  Who drains a buffer
 * would else wait for a time slice, in which a CPU fills hundreds of KiB.
 *
 * Returns whether that is permitted; if not, nothing changed.
 */
bool priority_raise(void);

#endif
