/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_steps_parts.h"

#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time.h"
#include "symbolize/functions/function_table.h"

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
		{ ROLE_NMI, INTERRUPT_NMI },
		{ ROLE_SOFTIRQ, INTERRUPT_SOFTIRQ },
		{ ROLE_ACTION, INTERRUPT_SOFTIRQ },
		{ ROLE_ITEM, INTERRUPT_WORK },
		{ ROLE_THREAD, INTERRUPT_THREAD },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		*kind = kinds[i].kind;
		if (kinds[i].role == role)
			return true;
	}
	return false;
}

/* Returns whether @slice is the own work of its thread, and no interrupt. */
static bool is_thread_work(const struct interrupt_steps *steps,
			   const struct interrupt_stack *stack,
			   const struct interrupt_slice *slice)
{
	size_t count;
	const struct open_context *contexts =
		task_time_contexts(steps->time, stack->task->index, &count);

	if (slice->is_part && interrupt_stack_top(stack))
		return interrupt_stack_top(stack)->is_thread_work;
	if (slice->kind == INTERRUPT_WORK || slice->kind == INTERRUPT_THREAD)
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

void interrupt_steps_end_top(struct interrupt_steps *steps,
			     struct interrupt_stack *stack,
			     const struct call_step *step)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);

	top->span.end_ns = step->time_ns;
	steps->listener->end(steps->listener, top, step);
	interrupt_stacks_pop(steps->stacks, stack);
}

/* Returns whether @step enters a handler, action or callback called by the open
 * caller.
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

static void enter_role(struct interrupt_steps *steps,
		       struct interrupt_stack *stack,
		       const struct call_step *step, enum interrupt_role role,
		       bool is_new_work)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);
	enum interrupt_kind kind;

	if (begins_slice(role, &kind)) {
		struct interrupt_slice slice = interrupt_slice_of(kind, role);

		slice.is_part = role == ROLE_ACTION && top;
		if (role == ROLE_THREAD) {
			slice.caller_role = ROLE_CALLS_HANDLER;
			slice.caller_depth = step->depth;
		}
		if (is_new_work || role == ROLE_ACTION || role == ROLE_THREAD)
			begin(steps, stack, step, slice);
	} else if (top && is_caller(role)) {
		top->caller_role = (uint8_t)role;
		top->caller_depth = step->depth;
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

/* Returns whether the slice continues: it includes the functions that its
 * function jumps to at its end, unless they are other work. If entries jump to
 * each other, the last one names the slice.
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

void interrupt_steps_enter(struct interrupt_steps *steps,
			   struct interrupt_stack *stack,
			   const struct call_step *step, bool is_new_work)
{
	struct interrupt_slice *top = interrupt_stack_top(stack);

	if (top && step->depth <= top->depth) {
		if (goes_on(steps, top, step, is_new_work))
			return;
		interrupt_steps_end_top(steps, stack, step);
	}
	enter_within(steps, stack, step, is_new_work);
}
