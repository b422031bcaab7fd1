/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_STEPS_INTERNAL_H
#define KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_STEPS_INTERNAL_H

#include "attribution/interrupts/interrupt_roles_internal.h"
#include "attribution/interrupts/interrupt_slice.h"
#include "report/steps/call_step.h"

struct attribution_input;
struct skip_limits;
struct skipped_calls;
struct task_pack;
struct thread_tracker;

/* Receives the slices found in the steps; no function may be NULL. */
struct interrupt_listener {
	/* Called when @slice starts, and when it ends, before its members are
	 * freed.
	 */
	void (*begin)(struct interrupt_listener *listener,
		      struct interrupt_slice *slice,
		      const struct call_step *step);
	void (*end)(struct interrupt_listener *listener,
		    struct interrupt_slice *slice,
		    const struct call_step *step);
	/* @step entered or left a function with a role that starts no slice.
	 * @slice is the innermost one, or NULL.
	 */
	void (*role)(struct interrupt_listener *listener,
		     struct interrupt_slice *slice, enum interrupt_role role,
		     const struct call_step *step);
};

/* Finds where slices of interrupt work start and end in the steps of the trace.
 */
struct interrupt_steps;

/* Returns a finder of slices, which borrows all arguments; NULL when out of
 * memory. @threads must receive each step before interrupt_steps_consume().
 */
struct interrupt_steps *interrupt_steps_new(
	const struct attribution_input *input, struct thread_tracker *threads,
	const struct interrupt_roles *roles, struct interrupt_stacks *stacks,
	struct interrupt_listener *listener);
void interrupt_steps_free(struct interrupt_steps *steps);

/* Applies a call event: may start and end slices, and adds time to the open
 * slice.
 */
void interrupt_steps_consume(struct interrupt_steps *steps,
			     const struct call_step *step);

/* Implement needs(), limit() and skip() of struct event_handler. */
uint8_t interrupt_steps_need(const struct interrupt_steps *steps,
			     uint32_t function);
void interrupt_steps_limit(const struct interrupt_steps *steps,
			   const struct call_step *step,
			   struct skip_limits *limits);
void interrupt_steps_skip(struct interrupt_steps *steps,
			  const struct skipped_calls *skipped);

/* Writes the open slices of all tasks, or reads them into @steps, which must be
 * new; see interrupt_stacks_pack().
 */
void interrupt_steps_pack(struct interrupt_steps *steps,
			  const struct task_pack *tasks, uint32_t functions);

/* Ends all slices that are still open. */
void interrupt_steps_end(struct interrupt_steps *steps);

#endif
