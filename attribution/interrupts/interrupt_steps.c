/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_steps.h"

#include "attribution/events/function_marks.h"
#include "attribution/events/work_kinds.h"
#include "attribution/time/on_cpu.h"
#include "attribution/table.h"
#include "attribution/time/task_work.h"
#include "symbolize/function_table.h"
#include "symbolize/symbols.h"

#include <stdlib.h>

struct interrupt_steps {
	struct interrupt_stacks *stacks;
	struct claims *claims;
	struct interrupt_listener *listener;
	struct interrupt_roles *roles;
	struct task_work *work;
	struct function_marks *marks;	/* functions that mean something */
	struct interrupt_stack *current; /* of last; NULL: not known */
	uint32_t floor;		/* current's works end no deeper */
	struct call_step last;	/* the newest: when, where and whose */
};

/* Marks the functions with a role of their own, or that are work. */
static struct function_marks *find_marked(const struct interrupt_roles *roles,
					  const struct attribution_input *input)
{
	uint32_t count = function_count(symbols_functions(input->symbols));
	struct function_marks *marks = function_marks_new(count);

	for (uint32_t i = 0; marks && roles && i < count; i++) {
		enum interrupt_role role = interrupt_role_of(roles, i);

		marks->marks[i] = (role != ROLE_NONE && role != ROLE_HELPER) ||
				  work_kind_of(input->kinds, i) != WORK_NONE;
	}
	return marks;
}

struct interrupt_steps *
interrupt_steps_new(const struct attribution_input *input,
		    struct interrupt_stacks *stacks, struct claims *claims,
		    struct interrupt_listener *listener)
{
	struct interrupt_steps *steps = calloc(1, sizeof(*steps));

	if (!steps)
		return NULL;
	steps->stacks = stacks;
	steps->claims = claims;
	steps->listener = listener;
	steps->roles = interrupt_roles_new(input->symbols);
	steps->work = task_work_new(input->kinds);
	steps->marks = find_marked(steps->roles, input);
	if (steps->roles && steps->work && steps->marks)
		return steps;
	interrupt_steps_free(steps);
	return NULL;
}

void interrupt_steps_free(struct interrupt_steps *steps)
{
	if (!steps)
		return;
	interrupt_roles_free(steps->roles);
	task_work_free(steps->work);
	free(steps->marks);
	free(steps);
}

/* Returns whether functions of @role begin pieces, and of which kind. */
static bool begins_piece(enum interrupt_role role, enum interrupt_kind *kind)
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

/* Whether @piece is what its thread is there for, and no interrupt. */
static bool is_thread_work(const struct interrupt_steps *steps,
			   const struct interrupt_stack *stack,
			   const struct interrupt_piece *piece)
{
	size_t count;
	const struct open_work *works =
		task_work_open(steps->work, stack->index, &count);

	if (piece->is_part && interrupt_stack_top(stack))
		return interrupt_stack_top(stack)->is_thread_work;
	if (piece->kind == INTERRUPT_WORK || piece->kind == INTERRUPT_THREAD)
		return true;
	return piece->kind == INTERRUPT_SOFTIRQ && count >= 2 &&
	       works[count - 2].kind == WORK_THREAD;
}

static void begin(struct interrupt_steps *steps, struct interrupt_stack *stack,
		  const struct call_step *step, struct interrupt_piece piece)
{
	struct interrupt_piece *slot;

	piece.function = step->function;
	piece.depth = step->depth;
	piece.begin_ns = step->time_ns;
	piece.is_thread_work = is_thread_work(steps, stack, &piece);
	slot = interrupt_stacks_push(steps->stacks, stack, piece);
	if (slot)
		steps->listener->begin(steps->listener, slot, step);
}

static void end_top(struct interrupt_steps *steps,
		    struct interrupt_stack *stack, const struct call_step *step)
{
	steps->listener->end(steps->listener, interrupt_stack_top(stack), step);
	interrupt_stacks_pop(steps->stacks, stack);
}

/* Whether @step enters what the open caller is there to call. */
static bool is_called(const struct interrupt_piece *top,
		      enum interrupt_role role, const struct call_step *step)
{
	return top->caller_role != ROLE_NONE && role != ROLE_HELPER &&
	       step->depth == top->caller_depth + 1 && step->how == HOW_CALL;
}

static void enter_called(struct interrupt_steps *steps,
			 struct interrupt_stack *stack,
			 const struct call_step *step)
{
	struct interrupt_piece *top = interrupt_stack_top(stack);
	struct interrupt_piece piece =
		interrupt_piece_of(top->caller_role == ROLE_CALLS_RCU ?
					   INTERRUPT_RCU :
					   INTERRUPT_NAPI,
				   ROLE_NONE);

	piece.is_part = true;
	if (top->caller_role != ROLE_CALLS_RCU)
		top->caller_role = ROLE_NONE;
	begin(steps, stack, step, piece);
}

static void enter_expected(struct interrupt_steps *steps,
			   struct interrupt_stack *stack,
			   const struct call_step *step)
{
	struct interrupt_piece *top = interrupt_stack_top(stack);
	struct interrupt_piece piece = interrupt_piece_of(top->expected_kind,
							  ROLE_NONE);

	piece.is_part = true;
	piece.owner = top->expected_owner;
	top->expected_owner = NULL;
	top->expected = FUNCTION_NONE;
	begin(steps, stack, step, piece);
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
	struct interrupt_piece *top = interrupt_stack_top(stack);
	enum interrupt_kind kind;

	if (begins_piece(role, &kind)) {
		struct interrupt_piece piece = interrupt_piece_of(kind, role);

		piece.is_part = role == ROLE_ACTION && top;
		if (role == ROLE_THREAD) {
			piece.caller_role = ROLE_CALLS_HANDLER;
			piece.caller_depth = step->depth;
		}
		if (is_new_work || role == ROLE_ACTION || role == ROLE_THREAD)
			begin(steps, stack, step, piece);
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
	enum interrupt_role role = interrupt_role_of(steps->roles,
						     step->function);
	struct interrupt_piece *top = interrupt_stack_top(stack);

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

/* A piece lasts through the jumps that its function ends in, but to other
 * work.  Entries that jump to each other are known by the last one.
 */
static bool goes_on(const struct interrupt_steps *steps,
		    struct interrupt_piece *top, const struct call_step *step,
		    bool is_new_work)
{
	enum interrupt_role role = interrupt_role_of(steps->roles,
						     step->function);

	if (is_new_work)
		return false;
	if (role == top->role && (role == ROLE_HARD || role == ROLE_SOFTIRQ))
		top->function = step->function;
	return true;
}

static void enter(struct interrupt_steps *steps, struct interrupt_stack *stack,
		  const struct call_step *step, bool is_new_work)
{
	struct interrupt_piece *top = interrupt_stack_top(stack);

	if (top && step->depth <= top->depth) {
		if (goes_on(steps, top, step, is_new_work))
			return;
		end_top(steps, stack, step);
	}
	enter_within(steps, stack, step, is_new_work);
}

static void leave(struct interrupt_steps *steps, struct interrupt_stack *stack,
		  const struct call_step *step)
{
	bool goes_on_elsewhere = step->detail;
	struct interrupt_piece *top = interrupt_stack_top(stack);
	enum interrupt_role role = interrupt_role_of(steps->roles,
						     step->function);

	if (role == ROLE_WAKES || role == ROLE_ASKS)
		steps->listener->role(steps->listener, top, role, step);
	while (top && top->depth >= step->depth && !goes_on_elsewhere) {
		end_top(steps, stack, step);
		top = interrupt_stack_top(stack);
	}
	if (top && top->caller_depth == step->depth)
		top->caller_role = ROLE_NONE;
}

static bool is_interrupted(const struct interrupt_steps *steps, uint32_t index)
{
	size_t count;
	const struct open_work *works =
		task_work_open(steps->work, index, &count);

	return count && on_cpu_class(works, count, false) == TIME_INTERRUPT;
}

/* Whether some function that has no meaning itself is waited for. */
static bool expects_any(const struct interrupt_piece *top)
{
	return top->caller_role != ROLE_NONE || top->expected != FUNCTION_NONE;
}

/* Returns whether @step is a call or return that begins and ends nothing. */
static bool is_plain_call(const struct interrupt_steps *steps,
			  const struct call_step *step)
{
	const struct interrupt_piece *top;

	if (!steps->current || step->task != steps->last.task ||
	    step->cpu != steps->last.cpu || step->kind > STEP_EXIT ||
	    function_marks_has(steps->marks, step->function))
		return false;
	if (step->kind == STEP_EXIT && step->depth <= steps->floor)
		return false;
	top = interrupt_stack_top(steps->current);
	return !top || (step->depth > top->depth && !expects_any(top));
}

static void note_last(struct interrupt_steps *steps,
		      struct interrupt_stack *stack,
		      const struct call_step *step)
{
	const struct open_work *top =
		task_work_top(steps->work, step->task->index);

	steps->last.task = step->task;
	steps->last.cpu = step->cpu;
	steps->current = stack;
	steps->floor = top ? top->depth : 0;
}

static void take_change(struct interrupt_steps *steps,
			const struct call_step *step)
{
	struct interrupt_stack *stack =
		interrupt_stacks_of(steps->stacks, step->task, step->cpu);
	int changed = task_work_take(steps->work, step);

	note_last(steps, stack, step);
	if (changed < 0)
		claims_fail(steps->claims);
	if (!stack)
		return;
	interrupt_stack_charge(stack, step->clock_ns);
	if (step->kind == STEP_ENTER)
		enter(steps, stack, step, changed > 0);
	else if (step->kind == STEP_EXIT)
		leave(steps, stack, step);
	if (changed > 0)
		stack->is_interrupted = is_interrupted(steps,
						       step->task->index);
}

void interrupt_steps_take(struct interrupt_steps *steps,
			  const struct call_step *step)
{
	steps->last.time_ns = step->time_ns;
	if (is_plain_call(steps, step))
		interrupt_stack_charge(steps->current, step->clock_ns);
	else
		take_change(steps, step);
}

void interrupt_steps_end(struct interrupt_steps *steps)
{
	struct interrupt_stack *stack;

	for (uint32_t i = 0; (stack = interrupt_stacks_at(steps->stacks, i));
	     i++)
		while (interrupt_stack_top(stack))
			end_top(steps, stack, &steps->last);
}
