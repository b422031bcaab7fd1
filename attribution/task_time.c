/* SPDX-License-Identifier: MIT */
#include "attribution/task_time.h"

#include "attribution/on_cpu.h"
#include "attribution/sched_events.h"
#include "attribution/span_out.h"
#include "attribution/table.h"
#include "attribution/task_work.h"
#include "attribution/thread_events.h"
#include "attribution/thread_frames.h"
#include "attribution/thread_table.h"
#include "attribution/traced_cpus.h"
#include "common/error.h"
#include "decoder/recording.h"

#include <stdlib.h>

struct task_time {
	struct task_time_options options;
	struct span_out out;
	struct task_work *work;
	struct thread_table *threads;
	struct traced_cpus cpus;
	struct sched_events events;
	uint64_t end_ns;	/* of the newest step */
	uint32_t task_count;	/* in the steps */
	bool is_of_threads;	/* tasks that are not traced ran */
	int status;
};

struct task_time_options
task_time_options_of(const struct attribution_input *input)
{
	return (struct task_time_options){
		.kinds = input->kinds,
		.evidence = off_cpu_evidence_of(input->recording,
						input->events),
		.window = input->window,
		.is_user_unknown = !recording_traces_kernel(input->recording),
	};
}

struct task_time *task_time_new(const struct task_time_options *options,
				struct span_sink *sink)
{
	struct task_time *time = calloc(1, sizeof(*time));

	if (!time)
		return NULL;
	time->options = *options;
	time->cpus = TRACED_CPUS_NONE;
	time->work = task_work_new(options->kinds);
	time->threads = thread_table_new();
	time->out = (struct span_out){
		.sink = sink,
		.work = time->work,
		.evidence = options->evidence,
		.window = options->window,
	};
	time->events = (struct sched_events){
		.threads = time->threads,
		.cpus = &time->cpus,
		.out = &time->out,
	};
	if (!time->work || !time->threads) {
		task_time_free(time);
		return NULL;
	}
	return time;
}

void task_time_free(struct task_time *time)
{
	if (!time)
		return;
	task_work_free(time->work);
	thread_table_free(time->threads);
	traced_cpus_free(&time->cpus);
	free(time);
}

const struct open_work *task_time_works(const struct task_time *time,
					uint32_t index, size_t *count)
{
	*count = task_work_count(time->work, index);
	return *count ? task_work_at(time->work, index, 0) : NULL;
}

/* Says what @thread's time goes to from here on. */
static void classify(const struct task_time *time, struct thread *thread,
		     const struct traced_cpu *cpu)
{
	const struct open_work *works;
	enum time_class time_class = TIME_UNKNOWN;
	enum unknown_reason reason = on_cpu_reason(cpu->state);
	size_t count;

	if (cpu->state == CPU_TRACED) {
		works = task_time_works(time, thread->task->index, &count);
		time_class = on_cpu_class(works, count,
					  thread_frames_in_user(thread));
	} else if (cpu->state == CPU_OUTSIDE) {
		reason = UNKNOWN_UNTRACED;
		if (!time->options.is_user_unknown)
			time_class = TIME_USER;
	}
	thread->time_class = (uint8_t)time_class;
	thread->reason = (uint8_t)reason;
	thread->is_provisional = thread->is_bottom_unseen;
	thread->is_unseen = cpu->state == CPU_UNSEEN;
}

static uint32_t error_of(const struct call_step *step)
{
	return step->early_ns > step->late_ns ? step->early_ns : step->late_ns;
}

/* Hands out what was before @step. */
static void cut(const struct task_time *time, struct thread *thread,
		const struct call_step *step)
{
	span_out_cut(&time->out, thread, step->time_ns);
	thread->begin_error_ns = error_of(step);
}

static void take_call(struct task_time *time, struct thread *thread,
		      const struct traced_cpu *cpu,
		      const struct call_step *step)
{
	int change = task_work_change(time->work, step);

	if (!thread_frames_take(thread, time->options.kinds, step) && !change)
		return;
	cut(time, thread, step);
	if (change) {
		span_out_flush(&time->out, thread);
		if (task_work_take(time->work, step) < 0)
			time->status = -ERROR_MEMORY;
	}
	classify(time, thread, cpu);
}

static void enter_state(struct task_time *time, struct thread *thread,
			struct traced_cpu *cpu, const struct call_step *step)
{
	cut(time, thread, step);
	cpu->state = step->kind == STEP_GAP ? CPU_GAP : step->detail;
	if (cpu->state == CPU_OUTSIDE)
		thread->is_bottom_unseen = false;
	classify(time, thread, cpu);
}

static uint64_t schedule_of(const struct task_time *time,
			    const struct thread *thread)
{
	const struct open_work *top =
		task_work_top(time->work, thread->task->index);

	return top && top->kind == WORK_SCHEDULE ? top->begin_ns : 0;
}

static void leave(struct task_time *time, struct thread *thread,
		  const struct traced_cpu *cpu, const struct call_step *step)
{
	cut(time, thread, step);
	if (cpu->state == CPU_OFF)
		time->is_of_threads = true;
	/* Not traced so far: what came before is no part of its life. */
	if (!thread->is_traced)
		thread->has_off = false;
	span_out_flush(&time->out, thread);
	thread_leaves(thread, step->time_ns, schedule_of(time, thread));
	thread->off.begin_error_ns = error_of(step);
}

static void come(struct task_time *time, struct thread *thread,
		 struct traced_cpu *cpu, const struct call_step *step)
{
	span_out_flush(&time->out, thread);
	thread_comes(thread, step->time_ns, (int32_t)step->cpu);
	thread->begin_error_ns = error_of(step);
	cpu->current = thread;
	/* It begins with its CPU's trace. */
	if (cpu->state == CPU_UNSEEN && !thread->last_ns)
		thread->has_off = false;
	if (thread->tid < 0)
		thread->last_ns = 0;
	classify(time, thread, cpu);
}

static void end_cpu(struct task_time *time, struct thread *thread,
		    struct traced_cpu *cpu, const struct call_step *step)
{
	cut(time, thread, step);
	thread->phase = THREAD_ENDED;
	traced_cpus_end(&time->cpus, cpu);
}

/* The first step of a CPU is of the thread that runs there already. */
static void settle(struct task_time *time, struct thread *thread,
		   struct traced_cpu *cpu, const struct call_step *step)
{
	thread_comes(thread, step->time_ns, (int32_t)step->cpu);
	thread->has_off = false;
	cpu->current = thread;
	classify(time, thread, cpu);
}

/* The last steps of all end the functions that threads off the CPU are in; an
 * exec those of a thread that it ended.
 */
static void finish(struct task_time *time, struct thread *thread,
		   const struct call_step *step)
{
	if (thread->is_traced)
		span_out_finish(&time->out, thread, step->time_ns);
	if (!thread->is_dead)
		thread->phase = THREAD_ENDED;
	if (task_work_take(time->work, step) < 0)
		time->status = -ERROR_MEMORY;
}

static void note_time(struct task_time *time, const struct call_step *step)
{
	bool is_switch = step->kind == STEP_SWITCH || step->kind == STEP_LEAVE;

	/* Switches are recorded before tracing begins, too. */
	if (!time->out.start_ns && !is_switch)
		time->out.start_ns = step->time_ns;
	if (step->time_ns > time->end_ns)
		time->end_ns = step->time_ns;
	if (step->task->index >= time->task_count)
		time->task_count = step->task->index + 1;
}

static void take_step(struct task_time *time, struct thread *thread,
		      struct traced_cpu *cpu, const struct call_step *step)
{
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
	case STEP_EXIT:
		take_call(time, thread, cpu, step);
		break;
	case STEP_STATE:
	case STEP_GAP:
		enter_state(time, thread, cpu, step);
		break;
	case STEP_LEAVE:
		leave(time, thread, cpu, step);
		break;
	case STEP_SWITCH:
		come(time, thread, cpu, step);
		break;
	case STEP_END:
		end_cpu(time, thread, cpu, step);
		break;
	case STEP_COUNT:
		break;
	}
}

void task_time_step(struct task_time *time, const struct call_step *step)
{
	struct thread *thread = thread_table_of_task(time->threads, step->task);
	struct traced_cpu *cpu = traced_cpus_add(&time->cpus, step->cpu);

	if (!thread || !cpu) {
		time->status = -ERROR_MEMORY;
		return;
	}
	note_time(time, step);
	if (thread->phase != THREAD_ON && step->kind == STEP_EXIT) {
		finish(time, thread, step);
		return;
	}
	if (thread->phase != THREAD_ON && step->kind != STEP_SWITCH)
		settle(time, thread, cpu, step);
	take_step(time, thread, cpu, step);
}

void task_time_event(struct task_time *time, const struct event_record *event)
{
	/* What comes after the trace is no part of the recording. */
	if (traced_cpus_are_over(&time->cpus))
		return;
	if (sched_events_take(&time->events, event) < 0)
		time->status = -ERROR_MEMORY;
}

void task_time_record(struct task_time *time,
		      const struct sideband_record *record)
{
	if (traced_cpus_are_over(&time->cpus))
		return;
	if (sched_events_record(&time->events, record) < 0)
		time->status = -ERROR_MEMORY;
}

/* A thread that was woken and never got a CPU has no task in the steps. */
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

	for (size_t i = 0; (thread = thread_table_at(time->threads, i)); i++)
		if (is_of_interest(time, thread))
			span_out_finish(&time->out, thread, time->end_ns);
	return time->status;
}
