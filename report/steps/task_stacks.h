/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_STACKS_H
#define KT_REPORT_TASK_STACKS_H

#include "report/steps/call_step.h"
#include "report/steps/time_window.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct pack;

/* Where a CPU's time went, within the window. */
struct cpu_account {
	int32_t cpu;
	uint64_t first_ns; /* 0: nothing was seen */
	uint64_t last_ns;
	uint64_t event_ns;	       /* the newest event, in no window */
	uint64_t state_ns[CPU_STATES]; /* they add up to last - first */
	uint64_t idle_ns;	       /* of CPU_TRACED, in the idle task */
	uint64_t switches;
	uint64_t gaps;	     /* any part of them */
	uint64_t lost_bytes; /* of trace, where known, in gaps that
					 * begin in the window */
};

/* Keeps the call stack of every task, across its sleeps and CPUs, and turns
 * function events into steps.
 */
struct task_stacks;

/* Hands steps to @callback, which it borrows.  Clocks and accounts count only
 * what lies within @window.  Returns NULL when out of memory.
 */
struct task_stacks *task_stacks_new(struct time_window window,
				    struct step_callback *callback);
void task_stacks_free(struct task_stacks *stacks);

/* Tells it the functions of the events, borrowed for this call: what a task that
 * ends leaves open is then closed when it leaves its CPU for the last time, not
 * where the recording ends.
 */
void task_stacks_know(struct task_stacks *stacks,
		      const struct function_table *functions);

/* Adds a CPU, on which task @pid, @tid runs first (-1: unknown).
 *
 * Returns its index for task_stacks_take(), counted from 0, or -ERROR_MEMORY.
 */
int task_stacks_add_cpu(struct task_stacks *stacks, int32_t cpu, int32_t pid,
			int32_t tid);

/* Applies the next @count events of CPU @index.  Returns 0 or -ERROR_MEMORY. */
int task_stacks_take(struct task_stacks *stacks, uint32_t index,
		     const struct function_event *events, uint32_t count);

/* Returns whether task @tid runs on another CPU than @index, as far as the
 * events taken tell, and on which.
 */
bool task_stacks_runs_elsewhere(const struct task_stacks *stacks,
				uint32_t index, int32_t tid, uint32_t *where);

/* Ends the CPUs that have not ended, for lack of interest: nothing within the
 * window is still to come.
 */
void task_stacks_stop(struct task_stacks *stacks);

/* Ends what is still open in tasks that sleep.  Call it once, at the end. */
void task_stacks_close(struct task_stacks *stacks);

/* Returns the time of the newest event taken. */
uint64_t task_stacks_last_ns(const struct task_stacks *stacks);

/* Returns the account of CPU @index. */
const struct cpu_account *task_stacks_account(const struct task_stacks *stacks,
					      uint32_t index);
uint32_t task_stacks_cpu_count(const struct task_stacks *stacks);

/* Returns task @index, in order of appearance; NULL after the last. */
const struct task *task_stacks_task(const struct task_stacks *stacks,
				    size_t index);

/* Returns for how long task @index ran and was traced, with the interrupts in
 * that time.
 */
uint64_t task_stacks_time_of(const struct task_stacks *stacks, size_t index);

/* Writes what @stacks holds to @pack, or sets @stacks, which has its CPUs but
 * has taken no events, to what it reads: as if all events up to there had been
 * taken, none of them within its window.  Functions are numbers below
 * @functions.  What makes no sense makes @pack fail, and @stacks of no use.
 */
void task_stacks_pack(struct task_stacks *stacks, struct pack *pack,
		      uint32_t functions);

/* Hands the open functions of all tasks to the callback, as entered before the
 * window.
 */
void task_stacks_say(struct task_stacks *stacks);

#endif
