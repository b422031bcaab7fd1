/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_stacks.h"

#include "common/bytes.h"
#include "report/steps/task_pack.h"

#include <stdlib.h>

struct interrupt_stacks {
	struct time_window window;
	struct interrupt_rows *rows;
	struct owners *owners;
	struct array tasks; /* struct interrupt_stack, by index */
	uint64_t slices;    /* number of slices started */
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
	free(stacks);
}

static struct interrupt_stack *reach(struct interrupt_stacks *stacks,
				     uint32_t index)
{
	return array_reach_like(
		&stacks->tasks, index,
		&(struct interrupt_stack){
			.slices = ARRAY_OF(struct interrupt_slice),
		});
}

struct interrupt_stack *interrupt_stacks_of(struct interrupt_stacks *stacks,
					    const struct task *task)
{
	struct interrupt_stack *stack = reach(stacks, task->index);

	if (stack)
		stack->task = task;
	else
		owners_fail(stacks->owners);
	return stack;
}

struct interrupt_stack *
interrupt_stacks_at(const struct interrupt_stacks *stacks, uint32_t index)
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

static void pack_slice(struct interrupt_slice *slice, struct pack *pack,
		       uint32_t functions)
{
	pack_small(pack, &slice->kind, INTERRUPT_KINDS - 1);
	pack_small(pack, &slice->role, ROLE_ANSWERS);
	pack_bool(pack, &slice->is_part);
	pack_bool(pack, &slice->is_thread_work);
	pack_u32(pack, &slice->function);
	pack_check(pack,
		   slice->function < functions || slice->role != ROLE_ACTION);
	pack_u32(pack, &slice->depth);
	pack_u64(pack, &slice->span.serial);
	pack_small(pack, &slice->caller_role, ROLE_ANSWERS);
	pack_u32(pack, &slice->caller_depth);
	pack_u32(pack, &slice->expected);
	pack_small(pack, &slice->expected_kind, INTERRUPT_KINDS - 1);
}

static void pack_slices(struct array *slices, struct pack *pack,
			uint32_t functions)
{
	uint32_t count = (uint32_t)slices->count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct interrupt_slice *slice = pack->is_reading ?
							array_add(slices) :
							array_at(slices, i);

		pack_check(pack, slice);
		if (slice && pack->is_reading)
			*slice = interrupt_slice_of(INTERRUPT_HARD, ROLE_NONE);
		if (slice)
			pack_slice(slice, pack, functions);
	}
}

static void pack_stack(struct interrupt_stacks *stacks,
		       const struct task_pack *tasks, uint32_t index,
		       uint32_t functions)
{
	struct interrupt_stack *stack = reach(stacks, index);
	struct pack *pack = tasks->pack;

	pack_check(pack, stack);
	if (!stack)
		return;
	if (pack->is_reading)
		stack->task = tasks->find(tasks->tasks, index);
	pack_check(pack, stack->task || !pack->is_reading);
	pack_bool(pack, &stack->is_interrupted);
	pack_bool(pack, &stack->is_in_tracer);
	pack_slices(&stack->slices, pack, functions);
}

void interrupt_stacks_pack(struct interrupt_stacks *stacks,
			   const struct task_pack *tasks, uint32_t functions)
{
	struct pack *pack = tasks->pack;
	uint32_t count = (uint32_t)stacks->tasks.count;

	pack_u64(pack, &stacks->slices);
	pack_u32(pack, &count);
	task_pack_check(tasks, count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_stack(stacks, tasks, i, functions);
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
		.victim = stack->task->index,
		.victim_pid = stack->task->pid,
		.victim_tid = stack->task->tid,
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
