/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_time.h"

#include "attribution/attribution_input.h"
#include "attribution/events/function_marks.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time_parts.h"
#include "attribution/time/threads.h"
#include "attribution/time/untraced_wakeups.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/steps/task_pack.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

struct task_time_options
task_time_options_of(const struct attribution_input *input)
{
	return (struct task_time_options){
		.kinds = input->kinds,
		.functions = symbols_functions(input->symbols),
		.evidence =
			off_cpu_evidence_of(input->recording, input->events),
		.names = input->names,
		.recorder = recording_info(input->recording)->command,
		.is_user_unknown = !recording_traces_kernel(input->recording),
	};
}

/* Marks the functions whose calls task_time_apply() must handle. */
static struct function_marks *
find_marked(const struct task_time_options *options,
	    const struct untraced_wakeups *wakes)
{
	uint32_t count = function_count(options->functions);
	struct function_marks *marks = function_marks_new(count);

	for (uint32_t i = 0; marks && wakes && i < count; i++)
		marks->values[i] = context_kind_of(options->kinds, i) !=
					   CONTEXT_NONE ||
				   context_kinds_is_user(options->kinds, i) ||
				   untraced_wakeups_has(wakes, i);
	return marks;
}

/* Initialises @time without any input. */
static bool begin(struct task_time *time, struct span_callback *callback)
{
	time->cpus = TRACED_CPUS_NONE;
	time->contexts = task_contexts_new(time->options.kinds);
	time->threads = threads_new();
	time->out = (struct span_out){
		.callback = callback,
		.contexts = time->contexts,
		.cpus = &time->cpus,
		.evidence = time->options.evidence,
	};
	return time->contexts && time->threads;
}

struct task_time *task_time_new(const struct task_time_options *options,
				struct span_callback *callback)
{
	struct task_time *time = calloc(1, sizeof(*time));

	if (!time)
		return NULL;
	time->options = *options;
	time->untraced_wakeups = untraced_wakeups_new(options->functions);
	time->marks = find_marked(options, time->untraced_wakeups);
	if (begin(time, callback) && time->untraced_wakeups && time->marks)
		return time;
	task_time_free(time);
	return NULL;
}

static void forget(struct task_time *time)
{
	task_contexts_free(time->contexts);
	threads_free(time->threads);
	traced_cpus_free(&time->cpus);
}

int task_time_renew(struct task_time *time,
		    const struct off_cpu_evidence *evidence)
{
	forget(time);
	untraced_wakeups_clear(time->untraced_wakeups);
	time->options.evidence = *evidence;
	time->current = (struct current_thread){ 0 };
	time->end_ns = 0;
	time->task_count = 0;
	time->is_of_threads = false;
	time->status = 0;
	return begin(time, time->out.callback) ? 0 : -ERROR_MEMORY;
}

void task_time_free(struct task_time *time)
{
	if (!time)
		return;
	forget(time);
	untraced_wakeups_free(time->untraced_wakeups);
	free(time->marks);
	free(time);
}

const struct open_context *task_time_contexts(const struct task_time *time,
					      uint32_t index, size_t *count)
{
	return task_contexts_open(time->contexts, index, count);
}

uint64_t task_time_untraced_wakeup(const struct task_time *time)
{
	return untraced_wakeups_last(time->untraced_wakeups).time_ns;
}

uint32_t task_time_thread(const struct task_time *time, int32_t tid)
{
	const struct thread *thread = threads_find(time->threads, tid);

	return thread ? thread->index : UINT32_MAX;
}

const struct task *task_time_task(const struct task_time *time, int32_t cpu,
				  int32_t tid)
{
	const struct traced_cpu *place = traced_cpus_find(&time->cpus, cpu);
	const struct thread *thread = place ? place->current : NULL;

	if (tid > 0)
		thread = threads_find(time->threads, tid);
	else if (thread && thread->tid > 0)
		thread = NULL;
	return thread ? thread->task : NULL;
}

bool task_time_falls_asleep(const struct task_time *time, uint32_t number)
{
	const struct thread *thread = threads_at(time->threads, number);

	return thread && thread->phase == THREAD_ON &&
	       thread->next_how == OFF_ASLEEP;
}

bool task_time_exits(const struct task_time *time, int32_t tid)
{
	const struct thread *thread = threads_find(time->threads, tid);

	return thread && thread->is_dead;
}

int task_time_context_change(const struct task_time *time)
{
	return time->context_change;
}

bool task_time_sees(const struct task_time *time, int32_t cpu)
{
	const struct traced_cpu *found = traced_cpus_find(&time->cpus, cpu);

	/* Streams of threads have no CPU. */
	if (!found)
		found = traced_cpus_find(&time->cpus, -1);
	return found && !found->has_ended &&
	       (found->state == CPU_TRACED || found->state == CPU_OUTSIDE);
}

static void note_time(struct task_time *time, const struct call_step *step)
{
	bool is_switch = step->kind == STEP_SWITCH || step->kind == STEP_LEAVE;

	/* Switches are recorded before tracing starts, too. */
	if (!time->out.start_ns && !is_switch)
		time->out.start_ns = step->time_ns;
	if (step->time_ns > time->end_ns)
		time->end_ns = step->time_ns;
	if (step->task->index >= time->task_count)
		time->task_count = step->task->index + 1;
}

/* Returns whether @step is a call or return that changes nothing else. */
static bool is_plain_call(struct task_time *time, const struct call_step *step)
{
	const struct current_thread *current = &time->current;

	if (step->task != current->task || step->cpu != current->cpu)
		return false;
	if (step->kind == STEP_ENTER) {
		if (step->depth <= current->floor ||
		    function_marks_has(time->marks, step->function))
			return false;
		current->thread->frames = step->depth + 1;
	} else {
		if (step->kind != STEP_EXIT || step->depth <= current->floor)
			return false;
		current->thread->frames = step->depth;
	}
	if (step->time_ns > time->end_ns)
		time->end_ns = step->time_ns;
	return true;
}

/* The innermost context ends at its own depth; below the frames of user space a
 * thread is in the kernel; a call at depth 0 shows how the thread was found.
 */
static uint32_t floor_of(const struct task_time *time,
			 const struct thread *thread, uint32_t index)
{
	const struct open_context *top =
		task_contexts_top(time->contexts, index);

	return top && top->depth > thread->user_frames ? top->depth :
							 thread->user_frames;
}

static void note_current(struct task_time *time, struct thread *thread,
			 const struct call_step *step)
{
	time->current.task = NULL;
	if (thread->phase != THREAD_ON || !time->out.start_ns ||
	    untraced_wakeups_are_open(time->untraced_wakeups))
		return;
	time->current = (struct current_thread){
		.task = step->task,
		.cpu = step->cpu,
		.floor = floor_of(time, thread, step->task->index),
		.thread = thread,
	};
}

bool task_time_step(struct task_time *time, const struct call_step *step)
{
	struct thread *thread;
	struct traced_cpu *cpu;

	time->context_change = 0;
	if (is_plain_call(time, step))
		return false;
	thread = threads_of_task(time->threads, step->task);
	cpu = traced_cpus_add(&time->cpus, step->cpu);
	if (!thread || !cpu) {
		time->status = -ERROR_MEMORY;
		return true;
	}
	note_time(time, step);
	task_time_apply(time, thread, cpu, step);
	note_current(time, thread, step);
	return true;
}

/* A thread that was woken and never ran has no task in the steps. */
static bool is_of_interest(struct task_time *time, struct thread *thread)
{
	if (thread->task)
		return thread->is_traced;
	if (time->is_of_threads || thread->phase != THREAD_OFF)
		return false;
	thread->own = (struct task){
		.index = time->task_count++,
		.tid = thread->tid,
		.pid = thread->pid,
		.cpu = thread->cpu,
	};
	return true;
}

int task_time_end(struct task_time *time)
{
	struct thread *thread;

	for (size_t i = 0; (thread = threads_at(time->threads, i)); i++)
		if (is_of_interest(time, thread))
			span_out_finish(&time->out, thread, time->end_ns);
	return time->status;
}

void task_time_pack(struct task_time *time, const struct task_pack *tasks)
{
	struct pack *pack = tasks->pack;

	pack_u64(pack, &time->out.start_ns);
	pack_u64(pack, &time->end_ns);
	pack_bool(pack, &time->is_of_threads);
	pack_u32(pack, &time->task_count);
	task_pack_check(tasks, time->task_count);
	threads_pack(time->threads, tasks);
	traced_cpus_pack(&time->cpus, pack, time->threads);
	task_contexts_pack(time->contexts, pack,
			   function_count(time->options.functions),
			   time->task_count);
	untraced_wakeups_pack(time->untraced_wakeups, tasks);
	time->current.task = NULL;
}
