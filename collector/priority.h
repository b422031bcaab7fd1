/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PRIORITY_H
#define KT_COLLECTOR_PRIORITY_H

#include <stdbool.h>

/* The scheduling of the calling thread before it was raised; all zeros before
 * priority_raise().
 */
struct priority {
	bool is_raised;
	int former_policy;
};

/* Lets the calling thread, but not its future children, run before all ordinary
 * threads as soon as it wakes up: sched(7), SCHED_FIFO. Otherwise a thread that
 * drains a buffer would wait for a time slice, in which a CPU fills hundreds of
 * KiB. A thread that is real-time already is not changed.
 *
 * Returns whether that is permitted; if not, nothing changed.
 */
bool priority_raise(struct priority *priority);

/* Undoes priority_raise(); does nothing if priority_raise() changed nothing, or
 * when called again. Returns false if the kernel refused.
 */
bool priority_restore(struct priority *priority);

#endif
