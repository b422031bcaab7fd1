/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_TASK_STACKS_H
#define KT_REPORT_STEPS_TASK_STACKS_H

/* Call stacks of all tasks, from the function events of all CPUs.
 *
 *  function events     event_merge.h        task_stacks.h        call events
 *  of each CPU ------> one order for -----> one stack for -----> (call_step.h)
 *                      all CPUs             each task            to a callback
 *
 * Events of a CPU belong to the task that runs on it, which FUNCTION_SWITCH
 * changes. call_stack.h applies an event to a stack, stack_switch_internal.h
 * follows coroutines, task_state_internal.h has the state of tasks and CPUs.
 *
 * Invariants:
 * 1. The caller applies the events of each CPU in their order, and a switch to
 *    a task after the switch away from it on its previous CPU (event_merge.h).
 * 2. The times of a task's call events never decrease.
 * 3. A STEP_EXIT ends the innermost open function of its task.
 *    task_stacks_close() exits all that are still open.
 * 4. A CPU's times by state add up to the time from its first to its last
 *    event, within the window.
 *
 * Threads: one at a time may use a struct task_stacks. Memory: depends on the
 * tasks, their open functions and suspended stacks (STACK_POOL_FRAMES for each
 * process), not on the length of the trace. Errors: -ERROR_MEMORY only. Odd
 * events, such as returns without calls, lead to inferred functions
 * (HOW_INFERRED, enum call_unseen).
 */

#include "report/steps/call_step.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_merge;
struct function_table;
struct goroutine_ids;
struct pack;

/* Maintains the call stack of every task, across its sleeps and CPUs, and
 * converts function events to call events.
 */
struct task_stacks;

/* Emits call events to @callback, which it borrows. Clocks and accounts count
 * only time within @window. Returns NULL when out of memory.
 */
struct task_stacks *task_stacks_new(struct time_window window,
				    struct step_callback *callback);
void task_stacks_free(struct task_stacks *stacks);

/* Removes all CPUs and forgets all tasks, to continue with another trace of the
 * same program. The callback must not use earlier call events' tasks afterwards.
 * Must not follow task_stacks_set_functions().
 */
void task_stacks_reset(struct task_stacks *stacks);

/* Sets the functions of the events; @functions is borrowed. Needed for inlined
 * calls and coroutines; also, a task that ends then exits its open functions
 * when it leaves its CPU for the last time, not at the end of the recording.
 */
void task_stacks_set_functions(struct task_stacks *stacks,
			       const struct function_table *functions);

/* Sets the ids of goroutines, which are borrowed; NULL: not recorded. */
void task_stacks_set_goroutines(struct task_stacks *stacks,
				const struct goroutine_ids *ids);

/* Adds a CPU, on which task @pid, @tid runs first (-1: unknown).
 *
 * Returns its index for task_stacks_consume(), counted from 0, or
 * -ERROR_MEMORY.
 */
int task_stacks_add_cpu(struct task_stacks *stacks, int32_t cpu, int32_t pid,
			int32_t tid);

/* Applies the next @count events, at least one, of CPU @index. Returns 0 or
 * -ERROR_MEMORY.
 */
int task_stacks_consume(struct task_stacks *stacks, uint32_t index,
			const struct function_event *events, uint32_t count);

/* An event_merge_holds: @ctx is the struct task_stacks to which all events
 * before @event were applied.
 */
bool task_stacks_holds(void *ctx, uint32_t index,
		       const struct function_event *event, uint32_t *where);

/* A run of events that was applied. */
struct applied_run {
	uint64_t first_ns; /* time of its first event */
	uint64_t last_ns;  /* time of its last event */
	uint8_t last_kind; /* enum function_event_kind of its last event */
};

/* Applies the next run of @merge, whose streams have the numbers of the CPUs.
 * Returns 1 and *@run; 0 when all streams have ended; or a negative enum error.
 */
int task_stacks_advance(struct task_stacks *stacks, struct event_merge *merge,
			struct applied_run *run);

/* Ends the CPUs whose events were not read to their end, because the remaining
 * ones are after the window.
 */
void task_stacks_stop(struct task_stacks *stacks);

/* Exits the open functions of all tasks. Must be called once, after the last
 * event.
 */
void task_stacks_close(struct task_stacks *stacks);

/* Returns the time of the last event applied. */
uint64_t task_stacks_last_ns(const struct task_stacks *stacks);

/* Returns the account of CPU @index. */
const struct cpu_account *task_stacks_account(const struct task_stacks *stacks,
					      uint32_t index);
uint32_t task_stacks_cpu_count(const struct task_stacks *stacks);

/* Returns task @index, in order of appearance; NULL after the last. */
const struct task *task_stacks_task(const struct task_stacks *stacks,
				    size_t index);

/* Returns how long task @index ran traced, including interrupts. */
uint64_t task_stacks_time_of(const struct task_stacks *stacks, size_t index);

/* Writes the state of @stacks to @pack, or reads it into @stacks, which must
 * have its CPUs but no events: as if all earlier events had been applied, none
 * of them within its window. Functions are numbers below @functions. Invalid
 * data makes @pack fail, and @stacks must not be used then.
 */
void task_stacks_pack(struct task_stacks *stacks, struct pack *pack,
		      uint32_t functions);

/* Emits each open function of every task to the callback as one that was
 * entered before the window.
 */
void task_stacks_emit_open(struct task_stacks *stacks);

#endif
