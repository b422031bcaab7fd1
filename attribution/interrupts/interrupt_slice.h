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

/* An open slice of interrupt work, with the evidence so far of its owner. Its
 * time is charged to the first of these that exists:
 * - its owner: the task that queued the work item or armed the timer;
 * - the owners of its parts (the timers of a timer interrupt, the actions of a
 *   run of soft interrupts), by their time;
 * - its effects: the requests it completed, the packets it received, the soft
 *   interrupts it raised or left a request to;
 * - the tasks it woke, which is inferred;
 * - nobody.
 */
struct interrupt_slice {
	uint8_t kind;	     /* enum interrupt_kind */
	uint8_t role;	     /* enum interrupt_role of its function */
	bool is_part;	     /* is part of the slice below it in the stack */
	bool is_thread_work; /* own work of a kernel thread, not an interrupt */
	uint32_t function;
	uint32_t depth; /* of its function in the call stack */
	int32_t irq;	/* or -1 */
	struct slice_span span;
	double whole_ns;     /* including its parts */
	struct owner *owner; /* or NULL */
	uint8_t owner_certainty;
	struct array parts;	/* struct owner_share, by ns */
	struct array effects;	/* struct owner_share */
	struct array woken;	/* struct owner_share */
	struct owner *self;	/* owner of the work that it started; or NULL */
	struct owner *inferred; /* @owner, but never exact; or NULL */
	/* owner of the object that it handles now; or NULL */
	struct owner *current;
	/* struct owner *: resolved with the slice's shares */
	struct array causes;
	/* The open function that calls handlers, actions or callbacks. */
	uint8_t caller_role; /* enum interrupt_role, or ROLE_NONE */
	uint32_t caller_depth;
	/* An object's function that an event announced. */
	uint32_t expected; /* a function's number or FUNCTION_NONE */
	uint8_t expected_kind;
	struct owner *expected_owner; /* or NULL */
	uint8_t expected_certainty;
	/* INTERRUPT_NAPI: start of the interrupt that scheduled the poll, or
	 * of its handler where that is a thread; 0: unknown, or the device was still being polled
	 */
	uint64_t scheduled_ns;
	bool polls;	 /* it scheduled the poll of a device */
	bool has_others; /* it also works for processes that are not known */
	/* it passes on a completed request, and raised no soft interrupt */
	bool ends_request;
	/* owner of a soft interrupt that was already pending and completes the
	 * request; or NULL
	 */
	struct owner *joined;
	/* struct time_window: its own time, in order; filled only if the slices
	 * are cached
	 */
	struct array times;
};

/* Returns a slice with these attributes and no evidence. */
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

/* Returns whether the actions of @slice may still determine its owner: it has
 * none, or one about which nothing more will be known.
 */
bool interrupt_slice_is_open(const struct interrupt_slice *slice);

/* Sets the owner of the object that @slice handles now. */
void interrupt_slice_focus(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *owner);

/* Resolves @cause to the shares of @slice when @slice ends. Consumes the
 * reference.
 */
void interrupt_slice_cause(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *cause);

/* Announces that @function of an object is called next, for @owner (or NULL)
 * with @certainty.
 */
void interrupt_slice_expect(struct owners *owners,
			    struct interrupt_slice *slice, uint32_t function,
			    enum interrupt_kind kind, struct owner *owner,
			    uint8_t certainty);

/* Charges the time of @slice as work @number (INTERRUPT_WORK_NONE: does not),
 * adds its shares to @around, the slice that it is part of (or NULL), and frees
 * its members.
 */
void interrupt_slice_end(struct owners *owners, struct interrupt_slice *slice,
			 uint32_t number, struct interrupt_slice *around);

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
