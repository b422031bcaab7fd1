/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_time.h"

#include "attribution/table.h"
#include "attribution/time/quiet_wakes.h"
#include "attribution/time/task_time_parts.h"
#include "attribution/time/task_work.h"
#include "attribution/time/thread_table.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "symbolize/symbols.h"

#include <stdlib.h>

struct task_time_options
task_time_options_of(const struct attribution_input *input)
{
	return (struct task_time_options){
		.kinds = input->kinds,
		.functions = symbols_functions(input->symbols),
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
	time->quiet_wakes = quiet_wakes_new(options->functions);
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
	if (!time->work || !time->quiet_wakes || !time->threads) {
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
	quiet_wakes_free(time->quiet_wakes);
	thread_table_free(time->threads);
	traced_cpus_free(&time->cpus);
	free(time);
}

const struct open_work *task_time_works(const struct task_time *time,
					uint32_t index, size_t *count)
{
	return task_work_open(time->work, index, count);
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

void task_time_step(struct task_time *time, const struct call_step *step)
{
	struct thread *thread = thread_table_of_task(time->threads, step->task);
	struct traced_cpu *cpu = traced_cpus_add(&time->cpus, step->cpu);

	if (!thread || !cpu) {
		time->status = -ERROR_MEMORY;
		return;
	}
	note_time(time, step);
	task_time_apply(time, thread, cpu, step);
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
