/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_STEPS_H
#define KT_ATTRIBUTION_INTERRUPT_STEPS_H

#include "attribution/interrupts/interrupt_stacks.h"
#include "report/steps/call_step.h"

struct attribution_input;
struct task_pack;
struct thread_tracker;

/* Is told what the steps say; functions are not NULL. */
struct interrupt_listener {
	/* @slice begins, and ends (it is still whole). */
	void (*begin)(struct interrupt_listener *listener,
		      struct interrupt_slice *slice,
		      const struct call_step *step);
	void (*end)(struct interrupt_listener *listener,
		    struct interrupt_slice *slice,
		    const struct call_step *step);
	/* A function of a role that begins no slice was entered or left, as
	 * @step says.  @slice: the innermost one, or NULL.
	 */
	void (*role)(struct interrupt_listener *listener,
		     struct interrupt_slice *slice, enum interrupt_role role,
		     const struct call_step *step);
};

/* Finds in the steps of the trace where slices of interrupt work begin and
 * end.
 */
struct interrupt_steps;

/* Borrows all; @threads have taken each step before.  Returns NULL when out of
 * memory.
 */
struct interrupt_steps *interrupt_steps_new(
	const struct attribution_input *input, struct thread_tracker *threads,
	const struct interrupt_roles *roles, struct interrupt_stacks *stacks,
	struct interrupt_listener *listener);
void interrupt_steps_free(struct interrupt_steps *steps);

/* Applies a step. */
void interrupt_steps_take(struct interrupt_steps *steps,
			  const struct call_step *step);

/* Writes in which slices tasks are, or sets @steps, which have taken none, to what it
 * reads: see interrupt_stacks_pack().
 */
void interrupt_steps_pack(struct interrupt_steps *steps,
			  const struct task_pack *tasks, uint32_t functions);

/* Ends what is still open. */
void interrupt_steps_end(struct interrupt_steps *steps);

#endif
