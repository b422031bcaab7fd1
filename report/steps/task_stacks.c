/* SPDX-License-Identifier: MIT */
#include "report/steps/task_stacks.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "report/steps/call_stack.h"
#include "report/steps/event_merge.h"
#include "report/steps/task_state_internal.h"
#include "symbolize/functions/function_table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

/* Functions that show the end of a task; FUNCTION_NONE if the kernel does not
 * have one (kernel/sched/core.c, kernel/events/core.c).
 */
struct task_end {
	uint32_t dead; /* do_task_dead(): never switched to again */
	/* perf_event_exit_task(): turns an ending task's trace off, with
	 * per-task tracing
	 */
	uint32_t untraced;
	uint32_t schedule; /* __schedule(): the task may also sleep in it */
};

static struct task_end task_end_of(const struct function_table *functions)
{
	return (struct task_end){
		.dead = function_table_kernel(functions, "do_task_dead"),
		.untraced = function_table_kernel(functions,
						  "perf_event_exit_task"),
		.schedule = function_table_kernel(functions, "__schedule"),
	};
}

/* Returns whether a task that leaves its CPU with @stack will never run again.
 */
static bool task_end_is_in(const struct task_end *end,
			   const struct call_stack *stack)
{
	bool is_untraced = false;

	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t function = stack->frames[i].function;

		if (function == FUNCTION_NONE)
			continue;
		if (function == end->dead)
			return true;
		if (function == end->untraced)
			is_untraced = true;
		else if (function == end->schedule)
			is_untraced = false;
	}
	return is_untraced;
}

/* Exits the open functions of the first thread in the process of @context's
 * task.
 */
static void thread_exec_end_first(const struct thread_map *tasks,
				  const struct cpu_context *context,
				  const struct function_event *event)
{
	const struct task *task = &context->task->task;
	struct mapped_thread *first = NULL;

	if (task->pid > 0 && task->tid != task->pid)
		first = thread_map_find(tasks, context->account.cpu, task->pid);
	if (first)
		cpu_context_close(context, first, event);
}

/* Marks @task, which has a new program, as being in exec() until the function
 * that it calls next has returned. If the thread is not the first of its
 * process, the first one has ended by then, and from the next switch on the
 * thread has the id of the first thread.
 */
static inline void thread_exec_begin(struct mapped_thread *task)
{
	task->exec_depth = task->stack.count + 1;
}

/* Ends the exec of @context's task if @event completes it. */
static inline void thread_exec_follow(const struct thread_map *tasks,
				      const struct cpu_context *context,
				      const struct function_event *event)
{
	struct mapped_thread *task = context->task;

	if (task->stack.count >= task->exec_depth)
		return;
	task->exec_depth = 0;
	thread_exec_end_first(tasks, context, event);
}

struct task_stacks {
	struct time_window window;
	struct step_callback *callback;
	struct thread_map tasks;
	struct array cpus; /* struct cpu_context */
	uint64_t last_ns;  /* of the last event */
	struct task_end end;
	const struct function_table *functions; /* NULL: not set */
	const struct goroutine_ids *goroutines; /* NULL: not recorded */
};

struct task_stacks *task_stacks_new(struct time_window window,
				    struct step_callback *callback)
{
	struct task_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->window = window;
	stacks->callback = callback;
	stacks->cpus = ARRAY_OF(struct cpu_context);
	stacks->end = (struct task_end){ FUNCTION_NONE, FUNCTION_NONE,
					 FUNCTION_NONE };
	thread_map_init(&stacks->tasks);
	return stacks;
}

static struct cpu_context *cpu_at(const struct task_stacks *stacks,
				  size_t index)
{
	return array_at(&stacks->cpus, index);
}

void task_stacks_set_functions(struct task_stacks *stacks,
			       const struct function_table *functions)
{
	stacks->end = task_end_of(functions);
	switch_roles_free(&stacks->tasks.roles);
	stacks->tasks.roles = switch_roles_of(functions);
	stacks->functions = functions;
	stacks->tasks.sites = function_table_sites(functions);
	for (size_t i = 0; i < stacks->cpus.count; i++)
		cpu_at(stacks, i)->output.functions = functions;
}

void task_stacks_set_goroutines(struct task_stacks *stacks,
				const struct goroutine_ids *ids)
{
	stacks->goroutines = ids;
	for (size_t i = 0; i < stacks->cpus.count; i++)
		cpu_at(stacks, i)->output.goroutines = ids;
}

void task_stacks_free(struct task_stacks *stacks)
{
	if (!stacks)
		return;
	thread_map_free(&stacks->tasks);
	array_free(&stacks->cpus);
	free(stacks);
}

void task_stacks_reset(struct task_stacks *stacks)
{
	assert(!stacks->functions);
	thread_map_reset(&stacks->tasks);
	stacks->cpus.count = 0;
	stacks->last_ns = 0;
}

int task_stacks_add_cpu(struct task_stacks *stacks, int32_t cpu, int32_t pid,
			int32_t tid)
{
	struct mapped_thread *task =
		thread_map_get(&stacks->tasks, cpu, pid, tid);
	struct cpu_context *context = task ? array_add(&stacks->cpus) : NULL;

	if (!context)
		return -ERROR_MEMORY;
	context->account.cpu = cpu;
	context->output.callback = stacks->callback;
	context->output.functions = stacks->functions;
	context->output.goroutines = stacks->goroutines;
	context->output.step.cpu = (uint32_t)cpu;
	cpu_context_run(context, task);
	return (int)stacks->cpus.count - 1;
}

static int change_task(struct task_stacks *stacks, struct cpu_context *context,
		       const struct function_event *event)
{
	struct mapped_thread *next = thread_map_get(&stacks->tasks,
						    context->account.cpu,
						    function_event_pid(event),
						    function_event_tid(event));
	struct call_step step;

	if (!next)
		return -ERROR_MEMORY;
	/* The task was not traced while it ran here, so the functions that were
	 * open before may have returned.
	 */
	if (context->is_unseen)
		cpu_context_close(context, context->task, event);
	step = cpu_context_step(context, event, STEP_LEAVE);
	stacks->callback->consume(stacks->callback, &step);
	/* The task does not run again; its id may soon be reused. */
	if (task_end_is_in(&stacks->end, &context->task->stack))
		cpu_context_close(context, context->task, event);
	cpu_context_run(context, next);
	/* If the CPU is not traced, functions of the next task may return
	 * unseen: its stack is paused. It is not paused if only the calls of
	 * --only are traced, or if a guest runs: the trace will go on in the
	 * same functions.
	 */
	if (context->state != CPU_TRACED && context->state != CPU_NOT_ASKED &&
	    context->state != CPU_GUEST)
		call_stack_pause(&next->stack);
	next->task.cpu = context->account.cpu;
	if (time_window_has(stacks->window, event->time_ns))
		context->account.switches++;
	step = cpu_context_step(context, event, STEP_SWITCH);
	step.detail = event->detail;
	stacks->callback->consume(stacks->callback, &step);
	return 0;
}

/* Ends a gap that an interrupt ends: no function is known in which the trace
 * starts again, so there is no FUNCTION_TRACE_START.
 */
static void end_gap(const struct task_stacks *stacks,
		    struct cpu_context *context,
		    const struct function_event *event)
{
	if (context->state != CPU_GAP)
		return;
	cpu_context_pass(context, stacks->window, event);
	cpu_context_start(context, event);
}

/* Applies the calls and returns at the start of @events. Returns their number,
 * or -ERROR_MEMORY.
 */
static int consume_calls(struct task_stacks *stacks,
			 struct cpu_context *context,
			 const struct function_event *events, uint32_t count)
{
	struct cpu_account *account = &context->account;
	struct mapped_thread *task = context->task;
	struct call_times times = { .window = stacks->window };
	int taken;

	end_gap(stacks, context, events);
	if (!account->first_ns)
		cpu_account_pass(account, stacks->window, events,
				 context->state, task);
	times.clock_ns = task->clock_ns;
	times.from_ns = account->last_ns;
	times.whole_ns = task->whole_ns;
	times.event_ns = account->event_ns;
	times.last_ns = task->last_ns;
	times.is_running = context->state == CPU_TRACED && account->first_ns;
	/* During an exec, check after each event whether it ends the exec. */
	taken = call_stack_consume_calls(&task->stack, events,
					 task->exec_depth ? 1 : count, &times,
					 &context->output);
	if (taken < 0)
		return taken;
	task->last_ns = times.last_ns;
	cpu_account_pass(account, stacks->window, &events[taken - 1],
			 context->state, task);
	thread_exec_follow(&stacks->tasks, context, events);
	return taken;
}

static int consume_stack_event(const struct task_stacks *stacks,
			       struct cpu_context *context,
			       const struct function_event *event)
{
	struct mapped_thread *task = context->task;
	struct call_step *step = &context->output.step;
	int status;

	step->time_ns = mapped_thread_time(task, event->time_ns);
	step->early_ns = event->early_ns;
	step->late_ns = event->late_ns;
	step->clock_ns = task->clock_ns;
	step->whole_ns = task->whole_ns;
	status = call_stack_consume(&task->stack, event, &context->output);
	if (event->kind == FUNCTION_NEW_PROGRAM)
		thread_exec_begin(task);
	else
		thread_exec_follow(&stacks->tasks, context, event);
	return status;
}

/* Applies an event other than a call or return. */
static int consume_other(struct task_stacks *stacks,
			 struct cpu_context *context,
			 const struct function_event *event)
{
	int status;

	cpu_context_pass(context, stacks->window, event);
	if (event->kind == FUNCTION_SWITCH)
		return change_task(stacks, context, event);
	if (event->kind == FUNCTION_INTERRUPTS) {
		cpu_context_note_interrupts(context, event);
		return 0;
	}
	if (event->kind == FUNCTION_END) {
		cpu_context_end(context, event);
		return 0;
	}
	if (event->kind == FUNCTION_GAP)
		cpu_context_lose(context, stacks->window, event);
	else if (event->kind == FUNCTION_TRACE_START)
		cpu_context_start(context, event);
	status = consume_stack_event(stacks, context, event);
	if (event->kind == FUNCTION_TRACE_STOP)
		cpu_context_stop(context, event);
	return status;
}

int task_stacks_consume(struct task_stacks *stacks, uint32_t index,
			const struct function_event *events, uint32_t count)
{
	struct cpu_context *context = cpu_at(stacks, index);
	uint64_t last_ns = events[count - 1].time_ns;

	while (count) {
		int taken = 1;
		int status = 0;

		if (function_event_is_call(events))
			status = taken =
				consume_calls(stacks, context, events, count);
		else
			status = consume_other(stacks, context, events);
		if (status < 0)
			return status;
		events += taken;
		count -= (uint32_t)taken;
	}
	if (last_ns > stacks->last_ns)
		stacks->last_ns = last_ns;
	return 0;
}

bool task_stacks_holds(void *ctx, uint32_t index,
		       const struct function_event *event, uint32_t *where)
{
	const struct task_stacks *stacks = ctx;
	int32_t tid = function_event_tid(event);

	for (uint32_t i = 0; tid > 0 && i < stacks->cpus.count; i++) {
		const struct cpu_context *context = cpu_at(stacks, i);

		if (i == index || context->ended ||
		    context->task->task.tid != tid)
			continue;
		*where = i;
		return true;
	}
	return false;
}

int task_stacks_advance(struct task_stacks *stacks, struct event_merge *merge,
			struct applied_run *run)
{
	const struct function_event *events;
	uint32_t index;
	int count = event_merge_next(merge, &index, &events);
	int status;

	if (count <= 0)
		return count;
	run->first_ns = events->time_ns;
	run->last_ns = events[count - 1].time_ns;
	run->last_kind = events[count - 1].kind;
	status = task_stacks_consume(stacks, index, events, (uint32_t)count);
	return status < 0 ? status : 1;
}

void task_stacks_stop(struct task_stacks *stacks)
{
	struct function_event end = { .kind = FUNCTION_END };

	end.time_ns = stacks->last_ns;
	if (end.time_ns < stacks->window.until_ns &&
	    stacks->window.until_ns != UINT64_MAX)
		end.time_ns = stacks->window.until_ns;
	for (size_t i = 0; i < stacks->cpus.count; i++) {
		struct cpu_context *context = cpu_at(stacks, i);

		if (context->ended)
			continue;
		cpu_context_pass(context, stacks->window, &end);
		cpu_context_end(context, &end);
	}
}

static bool adds_up(const struct cpu_account *account)
{
	uint64_t sum_ns = 0;

	for (int state = 0; state < CPU_STATES; state++)
		sum_ns += account->state_ns[state];
	return sum_ns == account->last_ns - account->first_ns;
}

void task_stacks_close(struct task_stacks *stacks)
{
	for (uint32_t i = 0; i < task_stacks_cpu_count(stacks); i++)
		assert(adds_up(
			task_stacks_account(stacks, i))); /* invariant 4 */
	for (size_t i = 0; i < stacks->tasks.all.count; i++) {
		struct mapped_thread *task = thread_map_at(&stacks->tasks, i);
		struct call_stack_output output = {
			.step = {
				.time_ns = stacks->last_ns,
				.cpu = (uint32_t)task->task.cpu,
				.clock_ns = task->clock_ns,
				.whole_ns = task->whole_ns,
				.task = &task->task,
			},
			.callback = stacks->callback,
			.functions = stacks->functions,
		};

		call_stack_close(&task->stack, &output);
	}
}

const struct cpu_account *task_stacks_account(const struct task_stacks *stacks,
					      uint32_t index)
{
	return &cpu_at(stacks, index)->account;
}

uint32_t task_stacks_cpu_count(const struct task_stacks *stacks)
{
	return (uint32_t)stacks->cpus.count;
}

uint64_t task_stacks_last_ns(const struct task_stacks *stacks)
{
	return stacks->last_ns;
}

const struct task *task_stacks_task(const struct task_stacks *stacks,
				    size_t index)
{
	if (index >= stacks->tasks.all.count)
		return NULL;
	return &thread_map_at(&stacks->tasks, index)->task;
}

uint64_t task_stacks_time_of(const struct task_stacks *stacks, size_t index)
{
	return thread_map_at(&stacks->tasks, index)->clock_ns;
}

void task_stacks_pack(struct task_stacks *stacks, struct pack *pack,
		      uint32_t functions)
{
	pack_u64(pack, &stacks->last_ns);
	task_state_pack_tasks(&stacks->tasks, &stacks->cpus, pack, functions);
	for (size_t i = 0; i < stacks->cpus.count && !pack->failed; i++)
		task_state_pack_cpu(cpu_at(stacks, i), &stacks->tasks,
				    stacks->window.since_ns, pack);
}

void task_stacks_emit_open(struct task_stacks *stacks)
{
	task_state_emit_open(&stacks->tasks, stacks->functions,
			     stacks->callback);
}
