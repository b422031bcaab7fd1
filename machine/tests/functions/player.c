/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/player.h"

#include "machine/tests/functions/replay_tasks.h"

#include <string.h>

/* The stacks of CPU entries have an address range of their own
 * (Documentation/arch/x86/x86_64/mm.rst).
 */
#define ENTRY_AREA 0xfffffe0000000000ULL
#define ENTRY_AREA_END 0xfffffe8000000000ULL

/* Length of the longest conditional branch in bytes, with a prefix. */
enum { LONGEST_CONDITIONAL = 7 };

static struct task_frames *task_on(const struct player *player,
				   const struct player_cpu *cpu)
{
	return &player->replay->tasks[cpu->task];
}

static struct passing passing_at(const struct player *player,
				 const struct player_cpu *cpu, uint64_t tsc)
{
	return (struct passing){
		.out = &player->replay->passages[cpu->number],
		.cpu = cpu->number,
		.tsc = tsc,
	};
}

/* Idle tasks, one per CPU, all have pid 0. */
static int64_t key_of(const struct player_cpu *cpu, uint32_t pid)
{
	return pid ? (int64_t)pid : -2 - (int64_t)cpu->number;
}

static bool is_in(const struct frame *frame, const char *function)
{
	return !strcmp(frame->function->name, function);
}

/* A trace of single tasks ends in perf_event_exit_task(), but a task may also
 * wait there and continue.
 */
static bool is_ending(const struct task_frames *task)
{
	bool is_off = false;

	for (size_t i = 0; i < task->count; i++) {
		const struct frame *frame = &task->frames[i];

		if (is_in(frame, "do_task_dead"))
			return true;
		if (is_in(frame, "perf_event_exit_task"))
			is_off = true;
		else if (is_in(frame, "__schedule"))
			is_off = false;
	}
	return is_off;
}

/* A task that ends does not return; another task may soon reuse its stack. */
static void leave_task(struct player *player, struct player_cpu *cpu)
{
	if (cpu->task != SIZE_MAX && is_ending(task_on(player, cpu)))
		task_on(player, cpu)->is_dead = true;
}

void player_switch(struct player *player, struct player_cpu *cpu,
		   const struct truth_event *event)
{
	struct passing at = passing_at(player, cpu, event->tsc);

	leave_task(player, cpu);
	if (cpu->task != SIZE_MAX && task_on(player, cpu)->is_dead)
		frames_end(task_on(player, cpu), &at);
	cpu->task = replay_task_of_pid(player->replay, key_of(cpu, event->pid),
				       event->sp);
	player->replay->switches[cpu->number]++;
}

static bool is_entry_stack(uint64_t sp)
{
	return sp >= ENTRY_AREA && sp < ENTRY_AREA_END;
}

static void count_time(struct player *player, struct player_cpu *cpu,
		       uint64_t tsc)
{
	if (cpu->traced_from)
		player->replay->kernel_ticks[cpu->number] +=
			tsc - cpu->traced_from;
	cpu->traced_from = 0;
}

/* An NMI switches the trace off and on again in the same task. */
static void trace_on(struct player *player, struct player_cpu *cpu,
		     const struct truth_event *event)
{
	struct passing at = passing_at(player, cpu, event->tsc);

	if (!is_entry_stack(event->sp) || cpu->task == SIZE_MAX)
		cpu->task = replay_task_of_stack(player->replay, event->sp);
	task_on(player, cpu)->is_dead = false;
	frames_on(task_on(player, cpu), &at,
		  kernel_names_find(player->names, event->to), event->sp);
	cpu->detours.now.is_active = false;
	cpu->traced_from = event->tsc;
}

static void trace_off(struct player *player, struct player_cpu *cpu,
		      const struct truth_event *event)
{
	count_time(player, cpu, event->tsc);
	if (cpu->task == SIZE_MAX)
		return;
	leave_task(player, cpu);
	frames_off(task_on(player, cpu));
	player->replay->pauses++;
}

static bool is_call(const struct detour *way)
{
	return way->kind == TRUTH_CALL || way->kind == TRUTH_INDIRECT_CALL;
}

/* The last call before a switch is made on the task's own stack, not on an
 * interrupt's.
 */
static void call(struct player *player, struct task_frames *task,
		 const struct passing *at, const struct detour *way,
		 const struct kernel_name *to)
{
	uint64_t slot = way->sp - player->rules->call_bytes;

	if (task->pid == -1)
		task->base = way->sp & -STACK_SIZE;
	frames_call(task, at, to, slot, way->site, way->kind == TRUTH_CALL);
}

/* Handles a transfer of kind @way->kind from @way->from to @to, which are not
 * thunks.
 */
static void transfer(struct player *player, struct player_cpu *cpu,
		     const struct detour *way, uint64_t to, uint64_t tsc)
{
	struct task_frames *task = task_on(player, cpu);
	struct passing at = passing_at(player, cpu, tsc);
	const struct kernel_name *name = kernel_names_find(player->names, to);
	bool is_inside = kernel_name_equal(way->from, name);
	bool begins = kernel_name_begins(name, to);

	if (way->is_return)
		frames_return(task, &at, name, to, way->sp);
	else if (is_call(way) && !(is_inside && !begins))
		call(player, task, &at, way, name);
	else if (!is_call(way) && !is_inside && begins)
		frames_tail(task, &at, way->from, name);
}

/* A branch that is not taken continues at the next instruction, so it is not a
 * transfer.
 */
static bool is_taken(const struct truth_event *event)
{
	return event->to - event->from > LONGEST_CONDITIONAL;
}

static void near_branch(struct player *player, struct player_cpu *cpu,
			const struct truth_event *event)
{
	const struct kernel_name *from =
		kernel_names_find(player->names, event->from);
	const struct kernel_name *to =
		kernel_names_find(player->names, event->to);

	if (event->kind == TRUTH_CONDITIONAL && !is_taken(event))
		return;
	if (detours_follow(&cpu->detours, event, from, to))
		transfer(player, cpu, &cpu->detours.now, event->to, event->tsc);
}

static bool in_kernel(uint64_t address)
{
	return address >> 63;
}

static void far_branch(struct player *player, struct player_cpu *cpu,
		       const struct truth_event *event)
{
	struct task_frames *task = task_on(player, cpu);
	struct passing at = passing_at(player, cpu, event->tsc);
	const struct kernel_name *to =
		kernel_names_find(player->names, event->to);

	if (!in_kernel(event->from)) {
		frames_start(task, &at, to);
		cpu->traced_from = event->tsc;
	} else if (!in_kernel(event->to)) {
		frames_leave(task, &at);
		cpu->detours.now.is_active = false;
		count_time(player, cpu, event->tsc);
	} else if (event->kind == TRUTH_FAR_RETURN) {
		frames_iret(task, &at,
			    kernel_names_find(player->names, event->from), to,
			    event->to, event->sp,
			    player->rules->breakpoint_gap);
		detours_mend(&cpu->detours, event->to);
	} else {
		detours_break(&cpu->detours, event->from);
		frames_interrupt(task, &at, to, event->from,
				 player->rules->interrupt_slot(event->sp));
	}
}

/* An exception that led to a vector counts once the vector has branched to its
 * handler.
 */
static void vector_branch(struct player *player, struct player_cpu *cpu,
			  const struct truth_event *event)
{
	cpu->is_in_vector = kernel_names_find(player->names, event->to)->kind ==
			    KIND_VECTOR;
	if (cpu->is_in_vector)
		return;
	cpu->vectored.to = event->to;
	cpu->vectored.tsc = event->tsc;
	far_branch(player, cpu, &cpu->vectored);
}

void player_play(struct player *player, struct player_cpu *cpu,
		 const struct truth_event *event)
{
	switch ((enum truth_kind)event->kind) {
	case TRUTH_TRACE_ON:
		trace_on(player, cpu, event);
		return;
	case TRUTH_TRACE_OFF:
		trace_off(player, cpu, event);
		return;
	case TRUTH_SWITCH:
		player_switch(player, cpu, event);
		return;
	case TRUTH_CONDITIONAL:
	case TRUTH_JUMP:
	case TRUTH_CALL:
	case TRUTH_INDIRECT_JUMP:
	case TRUTH_INDIRECT_CALL:
	case TRUTH_RETURN:
		if (cpu->is_in_vector)
			vector_branch(player, cpu, event);
		else if (cpu->task != SIZE_MAX)
			near_branch(player, cpu, event);
		return;
	case TRUTH_FAR_CALL:
	case TRUTH_FAR_RETURN:
	case TRUTH_INTERRUPT:
	case TRUTH_EXCEPTION:
		if (cpu->task != SIZE_MAX) {
			cpu->vectored = *event;
			vector_branch(player, cpu, event);
		}
		return;
	case TRUTH_INTERRUPTS:
	case TRUTH_KIND_MASK:
	case TRUTH_HAS_SP:
		return;
	}
}
