/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_SPINS_H
#define KT_TABLES_WAITS_SPINS_H

/* The waits of CPUs for other CPUs without sleep: for the answers to interrupts
 * that they sent, and for locks. For report --spins, exports and SQL.
 *
 *	calls of waiting functions --> spin_task: own time of each call
 *	other CPUs: interrupt handlers, releases of locks --> spin_end
 *
 * The time of a wait is the own time of the function that waits, without its
 * callees and the interrupts that it served.
 *
 * The trace does not contain which lock a thread waits for. So the thread that
 * ended the wait is inferred:
 * - the last CPU to start to answer while the wait lasted;
 * - the last thread to release a lock of that kind, which it took before the wait
 *   began, while the wait lasted or, as the times of two CPUs are estimates,
 *   shortly after;
 * - for a mutex or rwsem, whose holder may leave its CPU, which ends the wait: the
 *   only thread that releases such a lock before the waiting thread has it.
 *
 * Memory grows with the number of tasks and of waits in a call that takes a
 * lock. The functions of waits and of releases are from Linux 5.10 to 7.3.
 */

#include "report/steps/call_step.h"

#include <stdint.h>

struct attribution_input;
struct spin_tracker;

enum spin_kind {
	SPIN_NONE,
	SPIN_IPI,  /* until other CPUs have called a function */
	SPIN_STOP, /* until all CPUs have stopped */
	SPIN_SPINLOCK,
	SPIN_RWLOCK,
	SPIN_MUTEX,
	SPIN_RWSEM,
	SPIN_QUEUE, /* to be the next to wait for a mutex or rwsem */
	SPIN_KINDS,
};

/* Returns the name of @kind, such as "ipi". */
const char *spin_kind_name(enum spin_kind kind);

/* A wait that has ended. */
struct spin_wait {
	/* the task that waited; borrowed from its call events */
	const struct task *task;
	uint8_t kind; /* enum spin_kind */
	/* the innermost one that is not part of waiting */
	uint32_t function;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t own_ns;
	int32_t end_tid; /* the thread that ended it; -1: none was seen */
	/* the function of that thread that the interrupt interrupted, or that
	 * released the lock; FUNCTION_NONE: user space
	 */
	uint32_t end_function;
};

/* Receives the waits of all tasks, each task's in order, and each when its
 * end is decided: at the latest when the task has left the function that takes the
 * lock. Returns 0 or -ERROR_MEMORY.
 */
struct spin_callback {
	int (*consume)(struct spin_callback *callback,
		       const struct spin_wait *wait);
};

/* Follows the pass of @input; borrows both. Returns NULL when out of memory. */
struct spin_tracker *spin_tracker_new(const struct attribution_input *input,
				      struct spin_callback *callback);
void spin_tracker_free(struct spin_tracker *tracker);

/* Emits the remaining waits that have ended. Must be called after the last step.
 * Returns 0, or -ERROR_MEMORY if the tracker or the callback ever ran out of
 * memory.
 */
int spin_tracker_end(struct spin_tracker *tracker);

#endif
