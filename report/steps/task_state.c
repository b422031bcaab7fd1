/* SPDX-License-Identifier: MIT */
#include "report/steps/task_state_internal.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/flow/flow.h"
#include "report/steps/call_frames.h"
#include "report/steps/stack_switch_internal.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>

/* Three parts: the map of tasks, each with its stack and the pool of its
 * process; the state of a CPU, which emits a call event at each change; and
 * checkpoints.
 *
 * A checkpoint is read into a map that has only the first task of each CPU.
 * Every number is checked before it is used, such as the number of a function,
 * of a frame or of another task; the pack fails at the first that is out of
 * range, and nothing is used then. Clocks and accounts are not stored, because
 * they count only time in the window, and a checkpoint is before it.
 */

/* The suspended stacks of a process. */
struct process_stacks {
	int32_t pid;
	struct stack_pool *pool;
};

void thread_map_init(struct thread_map *tasks)
{
	*tasks = (struct thread_map){
		.all = ARRAY_OF(struct mapped_thread *),
		.processes = ARRAY_OF(struct process_stacks),
	};
}

void thread_map_free(struct thread_map *tasks)
{
	for (size_t i = 0; i < tasks->all.count; i++) {
		call_stack_free(&thread_map_at(tasks, i)->stack);
		free(thread_map_at(tasks, i));
	}
	for (size_t i = 0; i < tasks->processes.count; i++) {
		struct process_stacks *process = array_at(&tasks->processes, i);

		stack_pool_free(process->pool);
	}
	array_free(&tasks->all);
	number_map_free(&tasks->indices);
	array_free(&tasks->processes);
	number_map_free(&tasks->process_of);
	switch_roles_free(&tasks->roles);
}

void thread_map_reset(struct thread_map *tasks)
{
	struct mapped_thread *task;

	if (tasks->all.count != 1) {
		thread_map_free(tasks);
		thread_map_init(tasks);
		return;
	}
	task = thread_map_at(tasks, 0);
	call_stack_clear(&task->stack);
	if (task->stack.pool)
		stack_pool_clear(task->stack.pool);
	*task = (struct mapped_thread){
		.task = task->task,
		.stack = task->stack,
	};
}

struct mapped_thread *thread_map_at(const struct thread_map *tasks,
				    size_t index)
{
	return *(struct mapped_thread **)array_at(&tasks->all, index);
}

/* Returns the key of a task. Each CPU has an idle task and unknown tasks of its
 * own.
 */
static uint64_t key_of(int32_t cpu, int32_t tid)
{
	return (uint64_t)(uint32_t)(tid > 0 ? 0 : cpu) << 32 | (uint32_t)tid;
}

struct mapped_thread *thread_map_find(const struct thread_map *tasks,
				      int32_t cpu, int32_t tid)
{
	const uint64_t *index =
		number_map_find(&tasks->indices, key_of(cpu, tid));

	return index ? thread_map_at(tasks, *index) : NULL;
}

static int give_index(struct thread_map *tasks, const struct task *task)
{
	uint64_t *index =
		number_map_add(&tasks->indices, key_of(task->cpu, task->tid));

	if (!index)
		return -ERROR_MEMORY;
	*index = task->index;
	return 0;
}

static struct mapped_thread *add(struct thread_map *tasks)
{
	struct mapped_thread *task = calloc(1, sizeof(*task));
	struct mapped_thread **slot = task ? array_add(&tasks->all) : NULL;

	if (!slot) {
		free(task);
		return NULL;
	}
	*slot = task;
	task->task.index = (uint32_t)tasks->all.count - 1;
	return task;
}

/* Returns the pool of process @pid, created if needed; NULL when out of memory.
 */
static struct stack_pool *pool_of(struct thread_map *tasks, int32_t pid)
{
	uint64_t *number =
		number_map_add(&tasks->process_of, (uint64_t)(uint32_t)pid);
	struct process_stacks *process;

	if (!number)
		return NULL;
	if (!*number) {
		process = array_add(&tasks->processes);
		if (!process)
			return NULL;
		process->pid = pid;
		*number = tasks->processes.count;
	}
	process = array_at(&tasks->processes, *number - 1);
	if (!process->pool)
		process->pool = stack_pool_new();
	return process->pool;
}

/* Sets the process of @task, unless it is already known. Returns false when out
 * of memory.
 */
static bool set_process(struct thread_map *tasks, struct mapped_thread *task,
			int32_t pid)
{
	if (task->task.pid < 0)
		task->task.pid = pid;
	if (task->stack.pool || task->task.pid <= 0)
		return true;
	task->stack.pool = pool_of(tasks, task->task.pid);
	return task->stack.pool;
}

struct mapped_thread *thread_map_get(struct thread_map *tasks, int32_t cpu,
				     int32_t pid, int32_t tid)
{
	struct mapped_thread *task = thread_map_find(tasks, cpu, tid);

	if (task)
		return set_process(tasks, task, pid) ? task : NULL;
	task = add(tasks);
	if (!task)
		return NULL;
	task->task.tid = tid;
	task->task.pid = pid;
	task->task.cpu = cpu;
	task->stack.roles = &tasks->roles;
	return give_index(tasks, &task->task) < 0 ||
			       !set_process(tasks, task, pid) ?
		       NULL :
		       task;
}

void cpu_context_run(struct cpu_context *context, struct mapped_thread *task)
{
	context->task = task;
	context->output.step.task = &task->task;
	context->is_unseen = context->state == CPU_GAP ||
			     context->state == CPU_OFF;
}

static struct call_step step_of(const struct cpu_context *context,
				struct mapped_thread *task,
				const struct function_event *event,
				uint8_t kind)
{
	return (struct call_step){
		.time_ns = mapped_thread_time(task, event->time_ns),
		.early_ns = event->early_ns,
		.late_ns = event->late_ns,
		.kind = kind,
		.cpu = (uint32_t)context->account.cpu,
		.clock_ns = task->clock_ns,
		.whole_ns = task->whole_ns,
		.task = &task->task,
	};
}

struct call_step cpu_context_step(const struct cpu_context *context,
				  const struct function_event *event,
				  uint8_t kind)
{
	return step_of(context, context->task, event, kind);
}

static void emit(const struct cpu_context *context,
		 const struct call_step *step)
{
	context->output.callback->consume(context->output.callback, step);
}

static void enter_state(struct cpu_context *context,
			const struct function_event *event, uint8_t state)
{
	struct call_step step = cpu_context_step(context, event, STEP_STATE);

	if (context->state == state)
		return;
	context->state = state;
	step.detail = state;
	if (state == CPU_GUEST)
		step.place = event->address;
	emit(context, &step);
}

void cpu_context_pass(struct cpu_context *context, struct time_window window,
		      const struct function_event *event)
{
	struct cpu_account *account = &context->account;
	uint64_t gap_ns = account->state_ns[CPU_GAP];

	cpu_account_pass(account, window, event, context->state, context->task);
	if (account->state_ns[CPU_GAP] == gap_ns || context->has_gap)
		return;
	context->has_gap = true;
	account->gaps++;
}

void cpu_context_lose(struct cpu_context *context, struct time_window window,
		      const struct function_event *event)
{
	struct call_step step = cpu_context_step(context, event, STEP_GAP);

	context->has_gap = time_window_has(window, event->time_ns);
	if (context->has_gap) {
		context->account.gaps++;
		context->account.lost_bytes += event->lost_bytes;
	}
	context->state = CPU_GAP;
	step.detail = event->detail;
	step.value = event->lost_bytes;
	step.place = event->address;
	emit(context, &step);
}

static uint8_t state_after_stop(uint8_t stop)
{
	switch ((enum flow_stop)stop) {
	case FLOW_STOP_LEVEL:
		return CPU_OUTSIDE;
	case FLOW_STOP_FILTER:
		return CPU_FILTERED;
	case FLOW_STOP_OFF:
		return CPU_OFF;
	case FLOW_STOP_NOT_ASKED:
	case FLOW_STOP_ASIDE:
		return CPU_NOT_ASKED;
	case FLOW_STOP_GUEST:
		return CPU_GUEST;
	}
	return CPU_OFF;
}

void cpu_context_start(struct cpu_context *context,
		       const struct function_event *event)
{
	context->is_unseen = false;
	enter_state(context, event, CPU_TRACED);
}

void cpu_context_stop(struct cpu_context *context,
		      const struct function_event *event)
{
	enter_state(context, event, state_after_stop(event->detail));
}

void cpu_context_note_interrupts(const struct cpu_context *context,
				 const struct function_event *event)
{
	struct call_step step =
		cpu_context_step(context, event, STEP_INTERRUPTS);

	step.detail = event->detail;
	emit(context, &step);
}

void cpu_context_close(const struct cpu_context *context,
		       struct mapped_thread *task,
		       const struct function_event *event)
{
	struct call_stack_output output = {
		.step = step_of(context, task, event, STEP_EXIT),
		.callback = context->output.callback,
		.functions = context->output.functions,
	};

	call_stack_close(&task->stack, &output);
}

void cpu_context_end(struct cpu_context *context,
		     const struct function_event *event)
{
	struct call_step step;

	context->ended = true;
	cpu_context_close(context, context->task, event);
	step = cpu_context_step(context, event, STEP_END);
	emit(context, &step);
}

/* A frame's flags, packed in one number. */
enum {
	FRAME_IS_EXCEPTION = 1,
	FRAME_RETURNS_ANYWHERE = 2,
	FRAME_MAY_HAVE_ENDED = 4,
	FRAME_IS_CONFIRMED = 8,
	FRAME_IS_SIGNAL = 16,
	FRAME_RETURNS_TO_ANY_STACK = 32,
	FRAME_BITS = 63,
};

static uint8_t bits_of(const struct call_frame *frame)
{
	return (uint8_t)((frame->is_exception ? FRAME_IS_EXCEPTION : 0) |
			 (frame->returns == RETURNS_ANYWHERE ?
				  FRAME_RETURNS_ANYWHERE :
				  0) |
			 (frame->returns == RETURNS_TO_ANY_STACK ?
				  FRAME_RETURNS_TO_ANY_STACK :
				  0) |
			 (frame->may_have_ended ? FRAME_MAY_HAVE_ENDED : 0) |
			 (frame->is_confirmed ? FRAME_IS_CONFIRMED : 0) |
			 (frame->is_signal ? FRAME_IS_SIGNAL : 0));
}

static void set_bits(struct call_frame *frame, uint8_t bits)
{
	frame->is_exception = bits & FRAME_IS_EXCEPTION;
	frame->returns = bits & FRAME_RETURNS_ANYWHERE ? RETURNS_ANYWHERE :
			 bits & FRAME_RETURNS_TO_ANY_STACK ?
							 RETURNS_TO_ANY_STACK :
							 RETURNS_TO_ADDRESS;
	frame->may_have_ended = bits & FRAME_MAY_HAVE_ENDED;
	frame->is_confirmed = bits & FRAME_IS_CONFIRMED;
	frame->is_signal = bits & FRAME_IS_SIGNAL;
}

/* Writes or reads a frame without start_clock_ns, since the task's clock
 * advances only within the window.
 */
static void pack_frame(struct pack *pack, struct call_frame *frame,
		       uint32_t functions)
{
	uint8_t bits = bits_of(frame);

	pack_u64(pack, &frame->return_address);
	pack_u64(pack, &frame->start_ns);
	pack_u32(pack, &frame->function);
	pack_check(pack, frame->function < functions);
	pack_u32(pack, &frame->jumped_from);
	pack_check(pack, frame->jumped_from < functions);
	pack_small(pack, &frame->how, HOW_RESUMED);
	pack_small(pack, &frame->unseen,
		   UNSEEN_BEGIN | UNSEEN_END | UNSEEN_INSIDE);
	pack_small(pack, &bits, FRAME_BITS);
	set_bits(frame, bits);
}

/* Writes or reads the open inlined calls of @stack, whose frames are known. */
static void pack_inlined(struct pack *pack, struct call_stack *stack,
			 uint32_t sites)
{
	uint32_t count = stack->inlined_count;
	uint32_t frame = 0;

	pack_u32(pack, &count);
	pack_check(pack, count / INLINED_SITES_NESTED <= stack->count);
	if (pack->is_reading && count && !pack->failed) {
		stack->inlined = calloc(count, sizeof(*stack->inlined));
		stack->inlined_room = count;
		pack_check(pack, stack->inlined);
	}
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct inlined_frame *inlined = &stack->inlined[i];

		pack_u64(pack, &inlined->start_ns);
		pack_u32(pack, &inlined->site);
		pack_check(pack, inlined->site && inlined->site <= sites);
		pack_u32(pack, &inlined->frame);
		pack_check(pack, inlined->frame >= frame &&
					 inlined->frame < stack->count);
		pack_small(pack, &inlined->how, HOW_RESUMED);
		frame = inlined->frame;
		stack->inlined_count = i + 1;
	}
	if (!pack->is_reading)
		stack->inlined_count = count;
}

static void pack_stack(struct pack *pack, struct call_stack *stack,
		       uint32_t functions, uint32_t sites)
{
	uint32_t count = stack->count;

	pack_u32(pack, &count);
	pack_bool(pack, &stack->has_new_program);
	pack_bool(pack, &stack->is_doubtful);
	pack_bool(pack, &stack->is_unwound);
	pack_u32(pack, &stack->base);
	pack_u32(pack, &stack->owner);
	pack_u32(pack, &stack->fiber);
	pack_bool(pack, &stack->is_guessed);
	pack_u64(pack, &stack->partial.waits_for);
	pack_u32(pack, &stack->partial.gone);
	pack_bool(pack, &stack->partial.has_caller);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct call_frame *frame;

		if (pack->is_reading) {
			frame = frames_next(stack);
			pack_check(pack, frame);
			if (!frame)
				return;
			*frame = (struct call_frame){ 0 };
			stack->count++;
		}
		frame = frames_at(stack, i);
		pack_frame(pack, frame, functions);
	}
	if (!pack->failed)
		pack_inlined(pack, stack, sites);
}

/* Returns whether @cpus has @cpu, a CPU or a per-thread stream. */
static bool has_cpu(const struct array *cpus, int32_t cpu)
{
	for (size_t i = 0; i < cpus->count; i++) {
		const struct cpu_context *context = array_at(cpus, i);

		if (context->account.cpu == cpu)
			return true;
	}
	return false;
}

/* Reads the ids of task @index, and creates it unless it exists as a CPU's
 * first task.
 */
static struct mapped_thread *read_task(struct thread_map *tasks,
				       const struct array *cpus,
				       struct pack *pack, size_t index)
{
	struct task id = { 0 };
	struct mapped_thread *task;

	pack_i32(pack, &id.tid);
	pack_i32(pack, &id.pid);
	pack_i32(pack, &id.cpu);
	pack_check(pack, has_cpu(cpus, id.cpu));
	if (pack->failed)
		return NULL;
	task = thread_map_get(tasks, id.cpu, id.pid, id.tid);
	pack_check(pack, task && task->task.index == index);
	if (pack->failed)
		return NULL;
	task->task.pid = id.pid;
	task->task.cpu = id.cpu;
	return task;
}

static struct mapped_thread *pack_id(struct thread_map *tasks,
				     const struct array *cpus,
				     struct pack *pack, size_t index)
{
	struct mapped_thread *task;

	if (pack->is_reading)
		return read_task(tasks, cpus, pack, index);
	task = thread_map_at(tasks, index);
	pack_i32(pack, &task->task.tid);
	pack_i32(pack, &task->task.pid);
	pack_i32(pack, &task->task.cpu);
	return task;
}

static void pack_pool(struct pack *pack, struct stack_pool *pool,
		      uint32_t functions, uint32_t sites)
{
	uint32_t count = stack_pool_count(pool);

	pack_u32(pack, &count);
	pack_check(pack, count <= STACK_POOL_STACKS);
	stack_pool_pack_fibers(pool, pack);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct call_stack *stack = pack->is_reading ?
						   stack_pool_add(pool) :
						   stack_pool_at(pool, i);

		pack_check(pack, stack);
		if (!stack)
			return;
		pack_stack(pack, stack, functions, sites);
		pack_check(pack, stack->count);
		if (pack->is_reading)
			stack_pool_added(pool);
	}
}

/* Writes or reads the pools of all processes, in order; on reading they were
 * created with the tasks.
 */
static void pack_pools(struct pack *pack, const struct thread_map *tasks,
		       uint32_t functions)
{
	uint32_t count = (uint32_t)tasks->processes.count;

	pack_u32(pack, &count);
	pack_check(pack, count == tasks->processes.count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct process_stacks *process = array_at(&tasks->processes, i);
		int32_t pid = process->pid;

		pack_i32(pack, &pid);
		pack_check(pack, pid == process->pid);
		pack_pool(pack, process->pool, functions, tasks->sites);
	}
}

void task_state_pack_tasks(struct thread_map *tasks, const struct array *cpus,
			   struct pack *pack, uint32_t functions)
{
	uint32_t count = (uint32_t)tasks->all.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct mapped_thread *task = pack_id(tasks, cpus, pack, i);

		if (!task)
			return;
		pack_u64(pack, &task->last_ns);
		pack_u32(pack, &task->exec_depth);
		pack_stack(pack, &task->stack, functions, tasks->sites);
	}
	pack_check(pack, tasks->all.count == count);
	if (!pack->failed)
		pack_pools(pack, tasks, functions);
	if (!pack->failed)
		switch_roles_pack(&tasks->roles, pack);
}

void task_state_pack_cpu(struct cpu_context *context,
			 const struct thread_map *tasks, uint64_t since_ns,
			 struct pack *pack)
{
	struct cpu_account *account = &context->account;
	uint32_t task = context->task->task.index;
	bool is_seen = account->first_ns;
	bool is_unseen = context->is_unseen;

	pack_u32(pack, &task);
	pack_check(pack, task < tasks->all.count);
	pack_small(pack, &context->state, CPU_STATES - 1);
	pack_bool(pack, &context->ended);
	pack_bool(pack, &is_seen);
	pack_bool(pack, &is_unseen);
	if (!pack->is_reading || pack->failed)
		return;
	cpu_context_run(context, thread_map_at(tasks, task));
	context->is_unseen = is_unseen;
	account->first_ns = is_seen ? since_ns : 0;
	account->last_ns = account->first_ns;
	account->event_ns = account->first_ns;
}

static void emit_open(struct step_callback *callback,
		      const struct call_step *step)
{
	if (callback->open)
		callback->open(callback, step);
	else
		callback->consume(callback, step);
}

/* Emits the functions of frame @index of @task. */
static void emit_frame(struct step_callback *callback,
		       const struct mapped_thread *task, uint32_t index,
		       const struct function_table *functions)
{
	const struct call_stack *stack = &task->stack;
	const struct call_frame *frame = frames_at(stack, index);
	uint32_t inlined = frames_inlined_below(stack, index);
	struct call_step step = {
		.time_ns = frame->start_ns,
		.kind = STEP_ENTER,
		.how = frame->how,
		.unseen = frame->unseen,
		.cpu = (uint32_t)task->task.cpu,
		.function = frame->function,
		.depth = index + inlined,
		.place = frame->return_address,
		.fiber = stack->fiber,
		.task = &task->task,
	};

	emit_open(callback, &step);
	step.unseen = 0;
	step.place = 0;
	for (; inlined < stack->inlined_count &&
	       stack->inlined[inlined].frame == index;
	     inlined++) {
		const struct inlined_frame *call = &stack->inlined[inlined];

		step.time_ns = call->start_ns;
		step.how = call->how;
		step.function =
			function_table_site(functions, call->site)->function;
		step.depth++;
		emit_open(callback, &step);
	}
}

void task_state_emit_open(const struct thread_map *tasks,
			  const struct function_table *functions,
			  struct step_callback *callback)
{
	for (size_t i = 0; i < tasks->all.count; i++) {
		const struct mapped_thread *task = thread_map_at(tasks, i);

		for (uint32_t j = 0; j < task->stack.count; j++)
			emit_frame(callback, task, j, functions);
	}
}
