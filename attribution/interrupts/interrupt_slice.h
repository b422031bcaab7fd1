/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_SLICE_H
#define KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_SLICE_H

#include "attribution/interrupts/interrupt_roles_internal.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/interrupts/owners_internal.h"
#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct task_pack;

/* An open slice of interrupt work, with the evidence found so far for its
 * owner. Its time is charged to the first of these that exists:
 * - its owner: the task that queued the work item or armed the timer, unless
 *   that owner is abandoned and there is evidence below;
 * - the owners of its parts (the timers of a timer interrupt, the actions of a
 *   run of soft interrupts), by their time;
 * - its effects: the requests it completed, the packets it received, the soft
 *   interrupts it raised or added a request to;
 * - the tasks it woke, which is inferred;
 * - the owner that the work which it started will have;
 * - nobody.
 */
struct interrupt_slice {
	uint8_t kind;	     /* enum interrupt_kind */
	uint8_t role;	     /* enum interrupt_role of its function */
	bool is_part;	     /* is part of the slice below it in the stack */
	bool is_thread_work; /* own work of a kernel thread, not an interrupt */
	uint32_t function;
	uint32_t depth; /* depth of its function in the call stack */
	int32_t irq;	/* interrupt number; -1: unknown or none */
	struct slice_span span;
	double whole_ns;     /* time including its parts */
	struct owner *owner; /* or NULL */
	uint8_t owner_certainty;
	/* struct owner_share: owners of its parts, weighted by ns */
	struct array parts;
	/* struct owner_share: owners of the objects that it handled */
	struct array effects;
	struct array woken; /* struct owner_share: tasks that it woke */
	/* owner of the work that this slice started; or NULL */
	struct owner *self;
	/* passes charges on to member owner, but as inferred; or NULL */
	struct owner *inferred;
	/* owner of the object that it handles now; or NULL */
	struct owner *current;
	/* struct owner *: owners that get the slice's shares when it ends */
	struct array causes;
	/* The open function that calls handlers, actions or callbacks. */
	uint8_t caller_role; /* enum interrupt_role, or ROLE_NONE */
	uint32_t caller_depth;
	/* A function, announced by an event, that the slice calls next. */
	uint32_t expected; /* number of the function, or FUNCTION_NONE */
	uint8_t expected_kind;
	struct owner *expected_owner; /* or NULL */
	uint8_t expected_certainty;
	/* INTERRUPT_NAPI: start of the interrupt that scheduled the poll, or of
	 * its handler if that is a thread; 0: unknown, or the device was still
	 * being polled
	 */
	uint64_t scheduled_ns;
	bool polls;	 /* the slice scheduled the poll of a device */
	bool has_others; /* it also works for processes that are not known */
	/* the slice passes on a completed request, and has raised no soft
	 * interrupt for that request
	 */
	bool ends_request;
	/* owner of a pending soft interrupt that will end the request; or NULL
	 */
	struct owner *joined;
	/* struct time_window: its own time, in order; filled only if the slices
	 * are cached
	 */
	struct array times;
};

/* Returns a slice with this kind and role, and without evidence. */
struct interrupt_slice interrupt_slice_of(enum interrupt_kind kind,
					  enum interrupt_role role);

/* Returns the owner of the work that @slice starts (timers, work items,
 * requests), borrowed. Its charges are at most as certain as those of @slice.
 */
struct owner *interrupt_slice_owner(struct owners *owners,
				    struct interrupt_slice *slice);

/* Sets the owner of @slice, unless it is already known. */
void interrupt_slice_own(struct interrupt_slice *slice, struct owner *owner,
			 uint8_t certainty);

/* Returns whether later events in @slice may still determine its owner: the
 * slice has no owner, or an abandoned one (owner_is_abandoned()).
 */
bool interrupt_slice_is_open(const struct interrupt_slice *slice);

/* Returns whether @slice has an owner, or evidence for one, so far. */
bool interrupt_slice_has_evidence(const struct interrupt_slice *slice);

/* Sets the owner of the object that @slice handles now. */
void interrupt_slice_focus(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *owner);

/* Adds @cause to the owners that are resolved to the shares of @slice when
 * @slice ends. Consumes the reference to @cause.
 */
void interrupt_slice_cause(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *cause);

/* Announces that the slice calls @function of an object next, for @owner (or
 * NULL) with @certainty.
 */
void interrupt_slice_expect(struct owners *owners,
			    struct interrupt_slice *slice, uint32_t function,
			    enum interrupt_kind kind, struct owner *owner,
			    uint8_t certainty);

/* Ends @slice: resolves its owners, charges its time as work @number
 * (INTERRUPT_WORK_NONE: charges nothing), adds its shares to @around, the slice
 * that it is part of (or NULL), and frees its members.
 */
void interrupt_slice_end(struct owners *owners, struct interrupt_slice *slice,
			 uint32_t number, struct interrupt_slice *around);

/* The open slices of interrupt work of a task. */
struct interrupt_stack {
	const struct task *task; /* NULL: never used */
	/* task's clock (call_step.whole_ns) up to which time was charged */
	uint64_t whole_ns;
	/* the task's innermost context is interrupt work */
	bool is_interrupted;
	/* the task is in the tracer, whose time is not interrupt work */
	bool is_in_tracer;
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

/* Returns the stack of @task, valid until the next call for another task. NULL
 * when out of memory, which owners_failed() then reports.
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

/* Adds @own_ns of the task's time, ending at @end_ns, to @slice. */
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
 * be empty: the stacks then are as in a pass over the whole trace, except that
 * owners, durations and interrupt numbers of open slices are unknown. The
 * functions of actions must be below @functions; inconsistent data makes the pack
 * fail.
 */
void interrupt_stacks_pack(struct interrupt_stacks *stacks,
			   const struct task_pack *tasks, uint32_t functions);

/* Pushes a slice, which the stack then owns. Returns it in the stack, valid
 * until the next push, or NULL when out of memory.
 */
struct interrupt_slice *interrupt_stacks_push(struct interrupt_stacks *stacks,
					      struct interrupt_stack *stack,
					      struct interrupt_slice slice);

/* Ends the innermost slice, counts and charges it, and removes it from the
 * stack, which must not be empty.
 */
void interrupt_stacks_pop(struct interrupt_stacks *stacks,
			  struct interrupt_stack *stack);

#endif
