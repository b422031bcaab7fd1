/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_steps_internal.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "common/bytes.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdbool.h>
#include <stdlib.h>

/* Entries and exits of functions with a role (interrupt_roles_internal.h)
 * become slices: one function starts the slice, others within it name its
 * handler, action or callback, and the exit of the first ends it.
 *
 * Slices nest, as interrupts do: each task has a stack of them
 * (interrupt_slice.h). If the open slice expects a function, or has an open
 * function that calls handlers, the called function names that slice or starts
 * a slice that is part of it (enter_called(), enter_expected()). If a slice's
 * function ends by a jump to another function, the slice continues in that one,
 * unless it is other work (goes_on()).
 */

struct interrupt_steps {
	struct interrupt_stacks *stacks;
	struct interrupt_listener *listener;
	const struct interrupt_roles *roles;
	const struct context_kinds *kinds;
	const struct thread_tracker *threads;
	const struct task_time *time; /* of the thread tracker */
	struct function_marks *marks; /* functions that have a role */
	/* stack of the task of last; NULL: unknown */
	struct interrupt_stack *current;
	/* task, CPU and time of the newest step; other members are unset */
	struct call_step last;
};

/* Returns whether functions of @role start slices, and sets *@kind. */
static bool begins_slice(enum interrupt_role role, enum interrupt_kind *kind)
{
	static const struct {
		enum interrupt_role role;
		enum interrupt_kind kind;
	} kinds[] = {
		{ ROLE_HARD, INTERRUPT_HARD },
		{ ROLE_IPI_RESCHEDULE, INTERRUPT_IPI },
		{ ROLE_IPI_CALL, INTERRUPT_IPI },
		{ ROLE_IRQ_WORK, INTERRUPT_HARD },
		{ ROLE_NMI, INTERRUPT_NMI },
		{ ROLE_SOFTIRQ, INTERRUPT_SOFTIRQ },
		{ ROLE_ACTION, INTERRUPT_SOFTIRQ },
		{ ROLE_ITEM, INTERRUPT_WORK },
		{ ROLE_THREAD, INTERRUPT_THREAD },
		{ ROLE_CALLS_RCU, INTERRUPT_RCU },
		{ ROLE_RECLAIMS, INTERRUPT_RECLAIM },
		{ ROLE_RECLAIMS_DIRECTLY, INTERRUPT_RECLAIM },
		{ ROLE_COMPACTS, INTERRUPT_RECLAIM },
		{ ROLE_COMPACTS_ALL, INTERRUPT_RECLAIM },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		*kind = kinds[i].kind;
		if (kinds[i].role == role)
			return true;
	}
	return false;
}

/* Returns whether @slice is work of a kernel thread, not an interrupt. */
static bool is_thread_work(const struct interrupt_steps *steps,
			   const struct interrupt_stack *stack,
			   const struct interrupt_slice *slice)
{
	size_t count;
	const struct open_context *contexts =
		task_time_contexts(steps->time, stack->task->index, &count);

	if (slice->is_part && interrupt_stack_top(stack))
		return interrupt_stack_top(stack)->is_thread_work;
	if (slice->kind == INTERRUPT_WORK || slice->kind == INTERRUPT_THREAD ||
	    slice->kind == INTERRUPT_RECLAIM || slice->kind == INTERRUPT_RCU)
		return true;
	return slice->kind == INTERRUPT_SOFTIRQ && count >= 2 &&
	       contexts[count - 2].kind == CONTEXT_THREAD;
}

static void begin(struct interrupt_steps *steps, struct interrupt_stack *stack,
		  const struct call_step *step, struct interrupt_slice slice)
{
	struct interrupt_slice *slot;

	slice.function = step->function;
	slice.depth = step->depth;
	slice.span.begin_ns = step->time_ns;
	slice.span.cpu = step->cpu == UINT32_MAX ? step->task->cpu :
						   (int32_t)step->cpu;
	slice.is_thread_work = is_thread_work(steps, stack, &slice);
	slot = interrupt_stacks_push(steps->stacks, stack, slice);
	if (slot)
		steps->listener->begin(steps->listener, slot, step);
}

/* Ends the innermost slice of @stack at @step. The stack must not be empty. */
static void interrupt_steps_end_top(struct interrupt_steps *steps,
				    struct interrupt_stack *stack,
				    const struct call_step *step)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);

	top->span.end_ns = step->time_ns;
	steps->listener->end(steps->listener, top, step);
	interrupt_stacks_pop(steps->stacks, stack);
}

/* Returns whether @step enters a handler, action or callback that the slice's
 * open caller function calls.
 */
static bool is_called(const struct interrupt_slice *top,
		      enum interrupt_role role, const struct call_step *step)
{
	return top->caller_role != ROLE_NONE && role != ROLE_HELPER &&
	       step->depth == top->caller_depth + 1 && step->how == HOW_CALL;
}

static void enter_called(struct interrupt_steps *steps,
			 struct interrupt_stack *stack,
			 const struct call_step *step)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);
	struct interrupt_slice slice = interrupt_slice_of(
		top->caller_role == ROLE_CALLS_RCU ? INTERRUPT_RCU :
						     INTERRUPT_NAPI,
		ROLE_NONE);

	slice.is_part = true;
	if (top->caller_role != ROLE_CALLS_RCU)
		top->caller_role = ROLE_NONE;
	begin(steps, stack, step, slice);
}

static void enter_expected(struct interrupt_steps *steps,
			   struct interrupt_stack *stack,
			   const struct call_step *step)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);
	struct interrupt_slice slice =
		interrupt_slice_of(top->expected_kind, ROLE_NONE);

	slice.is_part = true;
	slice.owner = top->expected_owner;
	slice.owner_certainty = top->expected_certainty;
	top->expected_owner = NULL;
	top->expected = FUNCTION_NONE;
	begin(steps, stack, step, slice);
}

static bool is_caller(enum interrupt_role role)
{
	return role == ROLE_CALLS_HANDLER || role == ROLE_CALLS_POLL ||
	       role == ROLE_CALLS_RCU;
}

/* Starts a slice for a function of @role. Most roles only start one if
 * @is_new_work; actions and threaded handlers always do, and reclaim and RCU
 * callbacks do outside other slices.
 */
static void enter_slice(struct interrupt_steps *steps,
			struct interrupt_stack *stack,
			const struct call_step *step, enum interrupt_role role,
			enum interrupt_kind kind, bool is_new_work)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);
	struct interrupt_slice slice = interrupt_slice_of(kind, role);

	slice.is_part = role == ROLE_ACTION && top;
	if (role == ROLE_THREAD || role == ROLE_CALLS_RCU) {
		slice.caller_role = role == ROLE_THREAD ? ROLE_CALLS_HANDLER :
							  ROLE_CALLS_RCU;
		slice.caller_depth = step->depth;
	}
	if (is_new_work || role == ROLE_ACTION || role == ROLE_THREAD ||
	    ((kind == INTERRUPT_RECLAIM || kind == INTERRUPT_RCU) && !top))
		begin(steps, stack, step, slice);
}

static void enter_role(struct interrupt_steps *steps,
		       struct interrupt_stack *stack,
		       const struct call_step *step, enum interrupt_role role,
		       bool is_new_work)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);
	enum interrupt_kind kind;

	if (top && is_caller(role)) {
		top->caller_role = (uint8_t)role;
		top->caller_depth = step->depth;
	} else if (begins_slice(role, &kind)) {
		enter_slice(steps, stack, step, role, kind, is_new_work);
	} else {
		steps->listener->role(steps->listener, top, role, step);
	}
}

static void enter_within(struct interrupt_steps *steps,
			 struct interrupt_stack *stack,
			 const struct call_step *step, bool is_new_work)
{
	enum interrupt_role role =
		interrupt_role_of(steps->roles, step->function);
	struct interrupt_slice *top = interrupt_stack_top(stack);

	if (top && top->expected == step->function) {
		enter_expected(steps, stack, step);
	} else if (top && is_called(top, role, step) &&
		   top->caller_role != ROLE_CALLS_HANDLER) {
		enter_called(steps, stack, step);
	} else if (top && is_called(top, role, step)) {
		top->function = step->function;
		top->caller_role = ROLE_NONE;
	} else if (role != ROLE_NONE && role != ROLE_HELPER) {
		enter_role(steps, stack, step, role, is_new_work);
	}
}

/* Returns whether the slice @top continues in the function of @step, to which
 * its own function jumped: it does, unless that is other work. If entries jump
 * to each other, the last one names the slice.
 */
static bool goes_on(const struct interrupt_steps *steps,
		    struct interrupt_slice *top, const struct call_step *step,
		    bool is_new_work)
{
	enum interrupt_role role =
		interrupt_role_of(steps->roles, step->function);

	if (is_new_work)
		return false;
	if (role == top->role && (role == ROLE_HARD || role == ROLE_SOFTIRQ))
		top->function = step->function;
	return true;
}

/* Starts the slice, if any, of STEP_ENTER @step. @is_new_work: the step's
 * function has become the task's innermost context.
 */
static void interrupt_steps_enter(struct interrupt_steps *steps,
				  struct interrupt_stack *stack,
				  const struct call_step *step,
				  bool is_new_work)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);

	if (top && step->depth <= top->depth) {
		if (goes_on(steps, top, step, is_new_work))
			return;
		interrupt_steps_end_top(steps, stack, step);
	}
	enter_within(steps, stack, step, is_new_work);
}

/* Marks the functions that have a role or start a context. */
static struct function_marks *find_marked(const struct interrupt_roles *roles,
					  const struct attribution_input *input)
{
	uint32_t count = function_count(symbols_functions(input->symbols));
	struct function_marks *marks = function_marks_new(count);

	for (uint32_t i = 0; marks && i < count; i++) {
		enum interrupt_role role = interrupt_role_of(roles, i);

		marks->values[i] = (role != ROLE_NONE && role != ROLE_HELPER) ||
				   context_kind_of(input->kinds, i) !=
					   CONTEXT_NONE;
	}
	return marks;
}

struct interrupt_steps *interrupt_steps_new(
	const struct attribution_input *input, struct thread_tracker *threads,
	const struct interrupt_roles *roles, struct interrupt_stacks *stacks,
	struct interrupt_listener *listener)
{
	struct interrupt_steps *steps = calloc(1, sizeof(*steps));

	if (!steps)
		return NULL;
	steps->stacks = stacks;
	steps->listener = listener;
	steps->roles = roles;
	steps->kinds = input->kinds;
	steps->threads = threads;
	steps->time = thread_tracker_time(threads);
	steps->marks = find_marked(roles, input);
	if (steps->time && steps->marks)
		return steps;
	interrupt_steps_free(steps);
	return NULL;
}

void interrupt_steps_free(struct interrupt_steps *steps)
{
	if (!steps)
		return;
	free(steps->marks);
	free(steps);
}

static void leave(struct interrupt_steps *steps, struct interrupt_stack *stack,
		  const struct call_step *step)
{
	bool goes_on_elsewhere = step->detail;
	struct interrupt_slice *top = interrupt_stack_top(stack);
	enum interrupt_role role =
		interrupt_role_of(steps->roles, step->function);

	if (role == ROLE_WAKES || role == ROLE_ASKS ||
	    role == ROLE_ENDS_REQUEST || role == ROLE_LOOKS_FOR_NEIGHBOUR ||
	    role == ROLE_LEARNS_NEIGHBOUR)
		steps->listener->role(steps->listener, top, role, step);
	while (top && top->depth >= step->depth && !goes_on_elsewhere) {
		interrupt_steps_end_top(steps, stack, step);
		top = interrupt_stack_top(stack);
	}
	if (top && top->caller_depth == step->depth)
		top->caller_role = ROLE_NONE;
}

static void classify(const struct interrupt_steps *steps,
		     struct interrupt_stack *stack, uint32_t index)
{
	size_t count;
	const struct open_context *contexts =
		task_time_contexts(steps->time, index, &count);
	enum time_class time_class = on_cpu_class(contexts, count, false);

	stack->is_interrupted = time_class == TIME_INTERRUPT;
	stack->is_in_tracer = time_class == TIME_TRACER;
}

/* Returns the depth down to which each call matters to the slice, whatever its
 * function: the depth of the slice or, while its caller function is open, that
 * of the functions which the caller function calls.
 */
static uint32_t needed_depth(const struct interrupt_slice *top)
{
	return top->caller_role != ROLE_NONE &&
			       top->caller_depth >= top->depth ?
		       top->caller_depth + 1 :
		       top->depth;
}

/* Returns whether @step is a call or return that neither starts nor ends a
 * slice and changes no slice.
 */
static bool is_plain_call(const struct interrupt_steps *steps,
			  const struct call_step *step)
{
	const struct interrupt_slice *top;

	if (!steps->current || thread_tracker_has_changed(steps->threads) ||
	    step->task != steps->last.task || step->cpu != steps->last.cpu ||
	    function_marks_has(steps->marks, step->function))
		return false;
	top = interrupt_stack_top(steps->current);
	return !top || (step->depth > needed_depth(top) &&
			top->expected == FUNCTION_NONE);
}

static void consume_change(struct interrupt_steps *steps,
			   const struct call_step *step)
{
	struct interrupt_stack *stack =
		interrupt_stacks_of(steps->stacks, step->task);
	int change = task_time_context_change(steps->time);

	steps->last.task = step->task;
	steps->last.cpu = step->cpu;
	steps->current = stack;
	if (!stack)
		return;
	interrupt_stack_charge(steps->stacks, stack, step);
	if (step->kind == STEP_ENTER)
		interrupt_steps_enter(steps, stack, step, change > 0);
	else if (step->kind == STEP_EXIT)
		leave(steps, stack, step);
	if (change)
		classify(steps, stack, step->task->index);
}

void interrupt_steps_consume(struct interrupt_steps *steps,
			     const struct call_step *step)
{
	steps->last.time_ns = step->time_ns;
	if (is_plain_call(steps, step))
		interrupt_stack_charge(steps->stacks, steps->current, step);
	else
		consume_change(steps, step);
}

uint8_t interrupt_steps_need(const struct interrupt_steps *steps,
			     uint32_t function)
{
	enum interrupt_role role = interrupt_role_of(steps->roles, function);

	if (role != ROLE_NONE && role != ROLE_HELPER)
		return NEED_ALWAYS;
	return context_kinds_need(steps->kinds, function);
}

void interrupt_steps_limit(const struct interrupt_steps *steps,
			   const struct call_step *step,
			   struct skip_limits *limits)
{
	const struct interrupt_slice *top;

	if (!steps->current || step->task != steps->last.task ||
	    step->cpu != steps->last.cpu) {
		limits->frames = UINT32_MAX;
		return;
	}
	top = interrupt_stack_top(steps->current);
	if (top)
		skip_limits_raise(limits, top->expected != FUNCTION_NONE ?
						  UINT32_MAX :
						  needed_depth(top) + 1);
}

void interrupt_steps_skip(struct interrupt_steps *steps,
			  const struct skipped_calls *skipped)
{
	steps->last.time_ns = skipped->last->time_ns;
	interrupt_stack_charge(steps->stacks, steps->current, skipped->last);
}

void interrupt_steps_pack(struct interrupt_steps *steps,
			  const struct task_pack *tasks, uint32_t functions)
{
	pack_u64(tasks->pack, &steps->last.time_ns);
	task_pack_task(tasks, &steps->last.task);
	if (steps->last.task)
		interrupt_stacks_pack(steps->stacks, tasks, functions);
}

void interrupt_steps_end(struct interrupt_steps *steps)
{
	struct interrupt_stack *stack;

	for (uint32_t i = 0; (stack = interrupt_stacks_at(steps->stacks, i));
	     i++)
		while (interrupt_stack_top(stack))
			interrupt_steps_end_top(steps, stack, &steps->last);
}
