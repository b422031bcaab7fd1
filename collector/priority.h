/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PRIORITY_H
#define KT_COLLECTOR_PRIORITY_H

#include <stdbool.h>

/* How the calling thread was scheduled before it was raised; all zeros before
 * priority_raise().
 */
struct priority {
	bool is_raised;
	int former_policy;
};

/* Lets the calling thread run before all ordinary ones as soon as it wakes
 * up, but not its future children: sched(7), SCHED_FIFO.  Who drains a buffer
 * would else wait for a time slice, in which a CPU fills hundreds of KiB.
 * A thread that is real-time already stays as it is.
 *
 * Returns whether that is permitted; if not, nothing changed.
 */
bool priority_raise(struct priority *priority);

/* Undoes priority_raise(); does nothing if that did nothing, or the second
 * time.  Returns false if the kernel refused.
 */
bool priority_restore(struct priority *priority);

#endif
