/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_STACKS_H
#define KT_ATTRIBUTION_INTERRUPT_STACKS_H

#include "attribution/interrupts/interrupt_slice.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

/* The open slices of interrupt work of a task. */
struct interrupt_stack {
	const struct task *task; /* NULL: never used */
	/* call_step.whole_ns up to which time is charged */
	uint64_t whole_ns;
	bool is_interrupted; /* its innermost context is interrupt work */
	bool is_in_tracer;   /* or the tracer, whose time is in neither */
	struct array slices; /* struct interrupt_slice, outermost first */
};

/* The stacks of all tasks. */
struct interrupt_stacks;

/* Creates stacks, which show the parts of slices in @window. Borrows @rows and
 * @owners. Returns NULL when out of memory.
 */
struct interrupt_stacks *interrupt_stacks_new(struct time_window window,
					      struct interrupt_rows *rows,
					      struct owners *owners);

/* Makes slices record the intervals of their own time from now on. */
void interrupt_stacks_keep_times(struct interrupt_stacks *stacks);

/* Frees @stacks, which must be empty. */
void interrupt_stacks_free(struct interrupt_stacks *stacks);

/* Returns the stack of @task, valid until the next call for another task; NULL
 * when out of memory.
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

/* Adds @own_ns of its task's time, which end at @end_ns, to @slice. */
void interrupt_stacks_give(struct interrupt_stacks *stacks,
			   struct interrupt_slice *slice, uint64_t own_ns,
			   uint64_t end_ns);

/* Adds the task's time up to @step to the innermost slice, if the task was in
 * interrupt work.
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

/* Writes the open slices of all tasks. When reading, fills @stacks, which must
 * be empty: they resume as if they had seen the whole trace, except that owners
 * and durations of the open slices are unknown. Function numbers must be below
 * @functions; inconsistent data makes the pack fail.
 */
void interrupt_stacks_pack(struct interrupt_stacks *stacks,
			   const struct task_pack *tasks, uint32_t functions);

/* Pushes a slice, which the stack then owns. Returns it there, or NULL when out
 * of memory.
 */
struct interrupt_slice *interrupt_stacks_push(struct interrupt_stacks *stacks,
					      struct interrupt_stack *stack,
					      struct interrupt_slice slice);

/* Charges the innermost slice and pops it. */
void interrupt_stacks_pop(struct interrupt_stacks *stacks,
			  struct interrupt_stack *stack);
#endif
