/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_STACKS_H
#define KT_ATTRIBUTION_INTERRUPT_STACKS_H

#include "attribution/interrupts/interrupt_slice.h"
#include "report/steps/task_stacks.h"

#include <stdbool.h>
#include <stdint.h>

struct task_pack;

/* The slices of interrupt work that a task is in. */
struct interrupt_stack {
	const struct task *task; /* NULL: it was not asked for */
	uint64_t whole_ns;	 /* charged up to here: call_step.whole_ns */
	bool is_interrupted;	 /* its innermost work is interrupt work */
	bool is_in_tracer;	 /* or the tracer's: no part of either */
	struct array slices;	 /* struct interrupt_slice, outermost first */
};

/* Those of all tasks. */
struct interrupt_stacks;

/* Of slices is shown what is in @window.  Borrows @rows and @owners.  Returns
 * NULL when out of memory.
 */
struct interrupt_stacks *interrupt_stacks_new(struct time_window window,
					      struct interrupt_rows *rows,
					      struct owners *owners);

/* From now on slices keep when they had their own time. */
void interrupt_stacks_keep_times(struct interrupt_stacks *stacks);

/* The stacks must be empty by then. */
void interrupt_stacks_free(struct interrupt_stacks *stacks);

/* Returns the stack of @task, valid until another task's is asked for; NULL when
 * out of memory.
 */
struct interrupt_stack *interrupt_stacks_of(struct interrupt_stacks *stacks,
					    const struct task *task);

/* Returns the stack of task @index, or NULL after the last. */
struct interrupt_stack *
interrupt_stacks_at(const struct interrupt_stacks *stacks, uint32_t index);

/* Returns the innermost slice, or NULL. */
static inline struct interrupt_slice *
interrupt_stack_top(const struct interrupt_stack *stack)
{
	struct interrupt_slice *slices = stack->slices.items;

	return stack->slices.count ? &slices[stack->slices.count - 1] : NULL;
}

/* Returns the innermost slice if the task's time is interrupt work now, else
 * NULL.
 */
static inline struct interrupt_slice *
interrupt_stack_charged(const struct interrupt_stack *stack)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);

	return top && !stack->is_in_tracer &&
			       (stack->is_interrupted || top->is_thread_work) ?
		       top :
		       NULL;
}

/* Gives @slice @own_ns of its task's time, which end at @end_ns. */
void interrupt_stacks_give(struct interrupt_stacks *stacks,
			   struct interrupt_slice *slice, uint64_t own_ns,
			   uint64_t end_ns);

/* Gives the innermost slice the task's time up to @step, if that was interrupt work.
 */
static inline void interrupt_stack_charge(struct interrupt_stacks *stacks,
					  struct interrupt_stack *stack,
					  const struct call_step *step)
{
	struct interrupt_slice *slice = interrupt_stack_charged(stack);

	if (slice && step->whole_ns != stack->whole_ns)
		interrupt_stacks_give(stacks, slice,
				      step->whole_ns - stack->whole_ns,
				      step->time_ns);
	stack->whole_ns = step->whole_ns;
}

/* Writes which slices of work tasks are in, or sets @stacks, which have none, to what
 * it reads: they go on as if they had seen all before, but for whom that was and
 * how long it took.  Functions are numbers below @functions; what makes no sense
 * makes the pack fail.
 */
void interrupt_stacks_pack(struct interrupt_stacks *stacks,
			   const struct task_pack *tasks, uint32_t functions);

/* Puts a slice on the stack; its owner is the stack.  Returns it there, or
 * NULL when out of memory.
 */
struct interrupt_slice *interrupt_stacks_push(struct interrupt_stacks *stacks,
					      struct interrupt_stack *stack,
					      struct interrupt_slice slice);

/* Charges the innermost slice and takes it off. */
void interrupt_stacks_pop(struct interrupt_stacks *stacks,
			  struct interrupt_stack *stack);
#endif
