/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_steps.h"

#include "attribution/attribution_input.h"
#include "attribution/events/function_marks.h"
#include "attribution/interrupts/interrupt_steps_parts.h"
#include "attribution/time/on_cpu.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time.h"
#include "attribution/time/thread_tracker.h"
#include "common/bytes.h"
#include "report/steps/task_pack.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

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
	    role == ROLE_ENDS_REQUEST)
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

/* Returns whether the slice expects a call of a function that has no role. */
static bool expects_any(const struct interrupt_slice *top)
{
	return top->caller_role != ROLE_NONE || top->expected != FUNCTION_NONE;
}

/* Returns whether @step is a call or return that starts and ends nothing. */
static bool is_plain_call(const struct interrupt_steps *steps,
			  const struct call_step *step)
{
	const struct interrupt_slice *top;

	if (!steps->current || thread_tracker_has_changed(steps->threads) ||
	    step->task != steps->last.task || step->cpu != steps->last.cpu ||
	    function_marks_has(steps->marks, step->function))
		return false;
	top = interrupt_stack_top(steps->current);
	return !top || (step->depth > top->depth && !expects_any(top));
}

static void take_change(struct interrupt_steps *steps,
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

void interrupt_steps_take(struct interrupt_steps *steps,
			  const struct call_step *step)
{
	steps->last.time_ns = step->time_ns;
	if (is_plain_call(steps, step))
		interrupt_stack_charge(steps->stacks, steps->current, step);
	else
		take_change(steps, step);
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
