/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_STEPS_PARTS_H
#define KT_ATTRIBUTION_INTERRUPT_STEPS_PARTS_H

#include "attribution/interrupts/interrupt_steps.h"
#include "report/steps/call_step.h"

#include <stdbool.h>

struct function_marks;

/* The internals of interrupt_steps, shared by its files: interrupt_steps.c
 * processes the steps, interrupt_enter.c starts and ends slices.
 */
struct interrupt_steps {
	struct interrupt_stacks *stacks;
	struct interrupt_listener *listener;
	const struct interrupt_roles *roles;
	const struct thread_tracker *threads;
	const struct task_time *time; /* of the thread tracker */
	struct function_marks *marks; /* functions that have a role */
	/* stack of the task of last; NULL: unknown */
	struct interrupt_stack *current;
	struct call_step last; /* the newest step */
};

/* Starts the slice, if any, of STEP_ENTER @step. @is_new_work: the step's
 * function has become the task's innermost context.
 */
void interrupt_steps_enter(struct interrupt_steps *steps,
			   struct interrupt_stack *stack,
			   const struct call_step *step, bool is_new_work);

/* Ends the innermost slice of @stack at @step. The stack must not be empty. */
void interrupt_steps_end_top(struct interrupt_steps *steps,
			     struct interrupt_stack *stack,
			     const struct call_step *step);

#endif
