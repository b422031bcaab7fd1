/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_STEPS_PARTS_H
#define KT_ATTRIBUTION_INTERRUPT_STEPS_PARTS_H

#include "attribution/interrupts/interrupt_steps.h"
#include "report/steps/call_step.h"

#include <stdbool.h>

struct function_marks;

/* The inside of interrupt_steps, shared by its files: interrupt_steps.c takes
 * the steps, interrupt_enter.c begins slices and ends them.
 */
struct interrupt_steps {
	struct interrupt_stacks *stacks;
	struct interrupt_listener *listener;
	const struct interrupt_roles *roles;
	const struct thread_tracker *threads;
	const struct task_time *time;	 /* theirs */
	struct function_marks *marks;	 /* functions that mean something */
	struct interrupt_stack *current; /* of last; NULL: not known */
	struct call_step last;		 /* the newest: when, where and whose */
};

/* Begins what STEP_ENTER @step does; @is_new_work says whether it has become
 * the task's innermost work.
 */
void interrupt_steps_enter(struct interrupt_steps *steps,
			   struct interrupt_stack *stack,
			   const struct call_step *step, bool is_new_work);

/* Ends the innermost slice of @stack, which has one, at @step. */
void interrupt_steps_end_top(struct interrupt_steps *steps,
			     struct interrupt_stack *stack,
			     const struct call_step *step);

#endif
