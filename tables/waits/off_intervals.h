/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_OFF_INTERVALS_H
#define KT_TABLES_WAITS_OFF_INTERVALS_H

/* The intervals without interrupts on a CPU, or without preemption of its task, one
 * by one, with the interrupts or threads that waited for their ends. For report
 * --irqsoff and --preemptoff, and SQL.
 *
 *	call events, STEP_INTERRUPTS --> the state of each CPU --> intervals
 *	entries of interrupts, switches, sched_waking --> what waited --^
 *
 * Interrupts:
 * 1. The processor's flag is not in the trace. The instructions that write it
 *    are (STEP_INTERRUPTS), and so are exceptions, which clear it, and their
 *    ends, which restore it.
 * 2. popf and msr daif restore a value that the trace does not contain: it is
 *    inferred to be the flag at the last pushf or mrs daif of the same context,
 *    and the interval is marked as inferred.
 * 3. An interval whose start is not in the trace is not emitted. Nor is one in
 *    which an interrupt is served: the state was wrong, which is counted.
 * 4. An interrupt that is served at the end of an interval, before any other
 *    call, waited for that end, but not longer than the interval: the time of
 *    its request is not in the trace.
 * 5. An interval is known once the tasks and interrupts that waited for its end
 *    are. The intervals of a CPU are emitted in the order of their starts:
 *    while the handler runs that waited for the end of an interval, the
 *    later intervals wait, too.
 * 6. The times of both ends have bounds (struct call_step): uncertain_ns is
 *    their sum, and the error of the length is at most as large.
 *
 * Preemption (x86-64):
 * 7. The kernel counts in a variable of the CPU, so that the trace has each
 *    change as an instruction with a constant (PREEMPT_CHANGED), except in
 *    __local_bh_enable_ip(), whose callers decide. The counter is 0 in user
 *    space, and 2 where a CPU switches tasks: these values start the counter
 *    and check it. If it differs, a contradiction is counted, the current
 *    interval is dropped, and the counter is corrected. A counter below 0 is a
 *    contradiction, too: it is then unknown until the next such check.
 * 8. Intervals are not counted while the idle task runs, whose counter is never
 *    0.
 * 9. A task to which the CPU switches after the kernel, at the end of an
 *    interval, called the scheduler (preempt_schedule()), waited for that end
 *    since it was woken, but not longer than the interval.
 *
 * Memory grows with the number of tasks and CPUs.
 */

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct off_tracker;

/* How interrupts or preemption were switched off. */
enum off_kind {
	OFF_BY_INSTRUCTION, /* or preempt_disable(), a spinlock */
	OFF_BY_INTERRUPT,
	OFF_BY_NMI,
	OFF_BY_EXCEPTION,
	OFF_BY_SYSTEM_CALL,
	OFF_BY_SOFTIRQ,
	OFF_BY_BOTTOM_HALVES, /* local_bh_disable() */
};

/* Returns the name of @kind, such as "system call". */
const char *off_kind_name(enum off_kind kind);

enum { OFF_MOST_FRAMES = 8, OFF_MOST_DELAYS = 8 };

/* An interrupt that waited for the end of an interval, a thread that its handler
 * then woke, or a thread that waited for the CPU.
 */
struct off_delay {
	/* of the interrupt; FUNCTION_NONE: no interrupt, but preemption was off
	 */
	uint32_t handler;
	int32_t tid; /* -1: the interrupt itself */
	uint64_t ns; /* maximum time that it waited */
};

struct off_interval {
	/* borrowed from the call events; NULL: no interval */
	const struct task *task;
	uint32_t cpu;
	uint8_t kind;	  /* enum off_kind */
	bool is_inferred; /* see invariant 2 */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t uncertain_ns; /* invariant 6 */
	uint32_t count;
	uint32_t path[OFF_MOST_FRAMES]; /* functions, innermost first */
	uint32_t delay_count;
	struct off_delay delays[OFF_MOST_DELAYS]; /* the first ones */
};

/* Receives the intervals of all tasks. Returns 0 or -ERROR_MEMORY. */
struct off_callback {
	int (*consume)(struct off_callback *callback,
		       const struct off_interval *interval);
};

/* Follow the pass of @input, and request STEP_INTERRUPTS for it. Borrow
 * @callback and the pointers of @input. Return NULL when out of memory.
 */
struct off_tracker *
interrupts_off_tracker_new(const struct attribution_input *input,
			   struct off_callback *callback);
struct off_tracker *
preemption_off_tracker_new(const struct attribution_input *input,
			   struct off_callback *callback);
void off_tracker_free(struct off_tracker *tracker);

/* Emits the last intervals, after the pass. Returns 0, or -ERROR_MEMORY if the
 * tracker or the callback ever ran out of memory.
 */
int off_tracker_end(struct off_tracker *tracker);

/* Returns whether the trace showed any instruction that writes the flag, or
 * changes the counter. Without such instructions, no interval can be found.
 */
bool off_tracker_has_instructions(const struct off_tracker *tracker);

/* Returns how often the state was wrong: invariants 3 and 7. */
uint64_t off_tracker_contradictions(const struct off_tracker *tracker);

#endif
