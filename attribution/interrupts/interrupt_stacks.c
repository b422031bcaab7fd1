/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_stacks.h"

#include "attribution/events/known_events.h"
#include "common/number_map.h"

#include <stdlib.h>

struct interrupt_stacks {
	struct time_window window;
	struct interrupt_rows *rows;
	struct owners *owners;
	struct array tasks;	  /* struct interrupt_stack, by index */
	struct number_map by_tid; /* index + 1; no idle tasks */
	struct number_map by_cpu; /* index + 1 of its idle task */
	uint64_t slices;	  /* that were begun */
	bool keeps_times;
};

struct interrupt_stacks *interrupt_stacks_new(struct time_window window,
					      struct interrupt_rows *rows,
					      struct owners *owners)
{
	struct interrupt_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->window = window;
	stacks->rows = rows;
	stacks->owners = owners;
	stacks->tasks = ARRAY_OF(struct interrupt_stack);
	return stacks;
}

void interrupt_stacks_free(struct interrupt_stacks *stacks)
{
	struct interrupt_stack *tasks;

	if (!stacks)
		return;
	tasks = stacks->tasks.items;
	for (size_t i = 0; i < stacks->tasks.count; i++)
		array_free(&tasks[i].slices);
	array_free(&stacks->tasks);
	number_map_free(&stacks->by_tid);
	number_map_free(&stacks->by_cpu);
	free(stacks);
}

/* Notes where the events of the task will find it. */
static bool name_task(struct interrupt_stacks *stacks,
		      struct interrupt_stack *stack, const struct task *task,
		      uint32_t cpu)
{
	uint64_t *index = task->tid > 0 ? number_map_add(&stacks->by_tid,
							 (uint32_t)task->tid) :
					  number_map_add(&stacks->by_cpu, cpu);

	if (!index)
		return false;
	*index = task->index + 1;
	stack->index = task->index;
	stack->tid = task->tid;
	stack->pid = task->pid;
	return true;
}

struct interrupt_stack *interrupt_stacks_of(struct interrupt_stacks *stacks,
					    const struct task *task,
					    uint32_t cpu)
{
	struct interrupt_stack *stack = array_reach_like(
		&stacks->tasks, task->index,
		&(struct interrupt_stack){
			.tid = -1,
			.slices = ARRAY_OF(struct interrupt_slice),
		});

	if (stack && ((stack->tid == task->tid && stack->pid == task->pid) ||
		      name_task(stacks, stack, task, cpu)))
		return stack;
	owners_fail(stacks->owners);
	return NULL;
}

struct interrupt_stack *interrupt_stacks_at(struct interrupt_stacks *stacks,
					    uint32_t index)
{
	return index < stacks->tasks.count ? array_at(&stacks->tasks, index) :
					     NULL;
}

struct interrupt_slice *interrupt_stacks_push(struct interrupt_stacks *stacks,
					      struct interrupt_stack *stack,
					      struct interrupt_slice slice)
{
	const struct interrupt_slice *around = interrupt_stack_top(stack);
	struct interrupt_slice *slot;

	slice.span.serial = ++stacks->slices;
	if (around && slice.is_part)
		slice.span.outer = around->span.serial;
	slot = array_add(&stack->slices);
	if (slot)
		*slot = slice;
	else
		owners_fail(stacks->owners);
	return slot;
}

void interrupt_stacks_keep_times(struct interrupt_stacks *stacks)
{
	stacks->keeps_times = true;
}

void interrupt_stacks_give(struct interrupt_stacks *stacks,
			   struct interrupt_slice *slice, uint64_t own_ns,
			   uint64_t end_ns)
{
	const struct time_window time = { end_ns - own_ns, end_ns };

	slice->span.own_ns += own_ns;
	slice->span.shown_ns +=
		time_window_part(stacks->window, time.since_ns, time.until_ns);
	if (stacks->keeps_times && !interrupt_slice_keep_time(slice, time))
		owners_fail(stacks->owners);
}

void interrupt_stacks_pop(struct interrupt_stacks *stacks,
			  struct interrupt_stack *stack)
{
	struct interrupt_slice *slice = interrupt_stack_top(stack);
	const struct interrupt_row work = {
		.kind = slice->kind,
		.is_thread_work = slice->is_thread_work,
		.irq = slice->irq,
		.function = slice->function,
		.victim = stack->index,
		.victim_pid = stack->pid,
		.victim_tid = stack->tid,
		.pid = -1,
	};
	uint32_t number = interrupt_rows_work(stacks->rows, &work);

	slice->span.is_shown =
		slice->span.shown_ns ||
		time_window_has(stacks->window, slice->span.begin_ns);
	if (number == INTERRUPT_WORK_NONE)
		owners_fail(stacks->owners);
	else
		interrupt_rows_count(stacks->rows, number, &slice->span,
				     &slice->times);
	stack->slices.count--;
	interrupt_slice_end(stacks->owners, slice, number,
			    slice->is_part ? interrupt_stack_top(stack) : NULL);
}

struct interrupt_slice *interrupt_stacks_find(struct interrupt_stacks *stacks,
					      const struct event_record *event)
{
	const uint64_t *index =
		event->tid > 0 ?
			number_map_find(&stacks->by_tid, (uint32_t)event->tid) :
			number_map_find(&stacks->by_cpu, (uint32_t)event->cpu);

	return index ? interrupt_stack_top(
			       array_at(&stacks->tasks, *index - 1)) :
		       NULL;
}
