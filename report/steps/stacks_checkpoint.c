/* SPDX-License-Identifier: MIT */
#include "report/steps/stacks_checkpoint.h"

#include "common/bytes.h"
#include "report/steps/call_frames.h"
#include "report/steps/cpu_context.h"
#include "report/steps/stack_switch.h"
#include "report/steps/thread_map.h"

/* A frame's flags, packed in one number. */
enum {
	FRAME_IS_EXCEPTION = 1,
	FRAME_RETURNS_ANYWHERE = 2,
	FRAME_MAY_HAVE_ENDED = 4,
	FRAME_IS_CONFIRMED = 8,
	FRAME_IS_SIGNAL = 16,
	FRAME_BITS = 31,
};

static uint8_t bits_of(const struct call_frame *frame)
{
	return (uint8_t)((frame->is_exception ? FRAME_IS_EXCEPTION : 0) |
			 (frame->returns_anywhere ? FRAME_RETURNS_ANYWHERE :
						    0) |
			 (frame->may_have_ended ? FRAME_MAY_HAVE_ENDED : 0) |
			 (frame->is_confirmed ? FRAME_IS_CONFIRMED : 0) |
			 (frame->is_signal ? FRAME_IS_SIGNAL : 0));
}

static void set_bits(struct call_frame *frame, uint8_t bits)
{
	frame->is_exception = bits & FRAME_IS_EXCEPTION;
	frame->returns_anywhere = bits & FRAME_RETURNS_ANYWHERE;
	frame->may_have_ended = bits & FRAME_MAY_HAVE_ENDED;
	frame->is_confirmed = bits & FRAME_IS_CONFIRMED;
	frame->is_signal = bits & FRAME_IS_SIGNAL;
}

/* start_clock_ns is left out: the task's clock only advances within the window.
 */
static void pack_frame(struct pack *pack, struct call_frame *frame,
		       uint32_t functions)
{
	uint8_t bits = bits_of(frame);

	pack_u64(pack, &frame->return_address);
	pack_u64(pack, &frame->start_ns);
	pack_u32(pack, &frame->function);
	pack_check(pack, frame->function < functions);
	pack_small(pack, &frame->how, HOW_RESUMED);
	pack_small(pack, &frame->unseen,
		   UNSEEN_BEGIN | UNSEEN_END | UNSEEN_INSIDE);
	pack_small(pack, &bits, FRAME_BITS);
	set_bits(frame, bits);
}

static void pack_stack(struct pack *pack, struct call_stack *stack,
		       uint32_t functions)
{
	uint32_t count = stack->count;

	pack_u32(pack, &count);
	pack_bool(pack, &stack->has_new_program);
	pack_bool(pack, &stack->is_doubtful);
	pack_bool(pack, &stack->is_unwound);
	pack_u32(pack, &stack->base);
	pack_u32(pack, &stack->owner);
	pack_u64(pack, &stack->partial.waits_for);
	pack_u32(pack, &stack->partial.gone);
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
		      uint32_t functions)
{
	uint32_t count = stack_pool_count(pool);

	pack_u32(pack, &count);
	pack_check(pack, count <= STACK_POOL_STACKS);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct call_stack *stack = pack->is_reading ?
						   stack_pool_add(pool) :
						   stack_pool_at(pool, i);

		pack_check(pack, stack);
		if (!stack)
			return;
		pack_stack(pack, stack, functions);
		pack_check(pack, stack->count);
		if (pack->is_reading)
			stack_pool_added(pool);
	}
}

/* Writes or reads the pools of processes, which were created with the tasks;
 * empty pools are left out.
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
		pack_pool(pack, process->pool, functions);
	}
}

void stacks_checkpoint_pack_tasks(struct thread_map *tasks,
				  const struct array *cpus, struct pack *pack,
				  uint32_t functions)
{
	uint32_t count = (uint32_t)tasks->all.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct mapped_thread *task = pack_id(tasks, cpus, pack, i);

		if (!task)
			return;
		pack_u64(pack, &task->last_ns);
		pack_u32(pack, &task->exec_depth);
		pack_stack(pack, &task->stack, functions);
	}
	pack_check(pack, tasks->all.count == count);
	if (!pack->failed)
		pack_pools(pack, tasks, functions);
}

void stacks_checkpoint_pack_cpu(struct cpu_context *context,
				const struct thread_map *tasks,
				uint64_t since_ns, struct pack *pack)
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

static void say(struct step_callback *callback,
		const struct mapped_thread *task, uint32_t depth)
{
	const struct call_frame *frame = frames_at(&task->stack, depth);
	const struct call_step step = {
		.time_ns = frame->start_ns,
		.kind = STEP_ENTER,
		.how = frame->how,
		.unseen = frame->unseen,
		.cpu = (uint32_t)task->task.cpu,
		.function = frame->function,
		.depth = depth,
		.place = frame->return_address,
		.task = &task->task,
	};

	if (callback->open)
		callback->open(callback, &step);
	else
		callback->take(callback, &step);
}

void stacks_checkpoint_say(const struct thread_map *tasks,
			   struct step_callback *callback)
{
	for (size_t i = 0; i < tasks->all.count; i++) {
		const struct mapped_thread *task = thread_map_at(tasks, i);

		for (uint32_t j = 0; j < task->stack.count; j++)
			say(callback, task, j);
	}
}
