/* SPDX-License-Identifier: MIT */
#include "attribution/time/span_out_internal.h"

#include "attribution/time/task_contexts.h"
#include "attribution/time/threads_internal.h"
#include "attribution/time/untraced_internal.h"
#include "report/text/task_names.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static uint64_t clip(const struct span_out *out, uint64_t time_ns)
{
	return time_ns < out->start_ns ? out->start_ns : time_ns;
}

static void give(const struct span_out *out, struct thread *thread,
		 struct time_span *span)
{
	uint32_t index = thread->task ? thread->task->index : UINT32_MAX;
	size_t context_count;

	/* invariant 1 of task_time.h */
	assert(!thread->last_ns || span->begin_ns == thread->last_ns);
	thread->last_ns = span->end_ns;
	span->begin_ns = clip(out, span->begin_ns);
	span->end_ns = clip(out, span->end_ns);
	if (!out->start_ns || span->begin_ns >= span->end_ns)
		return;
	span->task = thread->task ? thread->task : &thread->own;
	span->thread = thread->index;
	span->contexts =
		task_contexts_open(out->contexts, index, &context_count);
	span->context_count = (uint32_t)context_count;
	out->callback->consume(out->callback, span);
}

/* Emits the time of @thread from its last span to @until_ns as unknown: between
 * two traced CPUs the thread may have run on an untraced one.
 */
static void fill_hole(const struct span_out *out, struct thread *thread,
		      uint64_t until_ns)
{
	struct time_span span = {
		.begin_ns = thread->last_ns,
		.end_ns = until_ns,
		.time_class = TIME_UNKNOWN,
		.reason = UNKNOWN_UNTRACED,
		.cpu = thread->cpu,
		.waker_tid = -1,
	};

	if (thread->last_ns && thread->last_ns < until_ns)
		give(out, thread, &span);
}

/* Emits time that @thread waited for a CPU and was not throttled, as separate
 * spans for the intervals when the recorder had the CPU. If the thread now runs
 * on another CPU, the CPU on whose queue it waited is unknown.
 */
static void give_ready(const struct span_out *out, struct thread *thread,
		       const struct time_span *wait)
{
	const struct traced_cpu *cpu =
		wait->cpu == thread->cpu ?
			traced_cpus_find(out->cpus, wait->cpu) :
			NULL;
	struct time_span span = *wait;
	struct recorder_run run;

	while (cpu && recorder_runs_find(&cpu->recorder, span.begin_ns,
					 wait->end_ns, &run)) {
		span.end_ns = run.begin_ns;
		give(out, thread, &span);
		span.begin_ns = run.begin_ns;
		span.end_ns = run.end_ns;
		span.is_behind_recorder = true;
		give(out, thread, &span);
		span.begin_ns = run.end_ns;
		span.is_behind_recorder = false;
	}
	span.end_ns = wait->end_ns;
	give(out, thread, &span);
}

/* The thread that is_of_group() checks. */
struct throttled_thread {
	const struct span_out *out;
	const struct thread *thread;
};

/* Returns whether the thread is in the throttled cgroup of @run: it is of the
 * process of @run's thread, or in the same cgroup as that thread. Threads in
 * other cgroups below the throttled one are not found.
 */
static bool is_of_group(const void *ctx, const struct throttled_run *run)
{
	const struct throttled_thread *of = ctx;
	const struct task_cgroups *cgroups = of->out->cgroups;
	const char *path =
		cgroups ? task_cgroups_path(cgroups, of->thread->tid) : NULL;
	const char *other = path ? task_cgroups_path(cgroups, run->tid) : NULL;

	if (run->tid == of->thread->tid ||
	    (run->pid > 0 && run->pid == of->thread->pid))
		return true;
	return other && !strcmp(path, other);
}

static bool find_throttled(const struct span_out *out,
			   const struct thread *thread, int32_t cpu,
			   const struct time_span *wait,
			   struct throttled_run *run)
{
	const struct traced_cpu *traced = traced_cpus_find(out->cpus, cpu);
	const struct throttled_thread of = { out, thread };

	return traced &&
	       throttled_runs_find(&traced->throttled, wait->begin_ns,
				   wait->end_ns, is_of_group, &of, run);
}

/* Emits time that @thread waited for a CPU, as separate spans for the intervals
 * in which its cgroup was throttled. The thread waited on the CPU that it left
 * or, after a wake-up, on the CPU on which it runs now.
 */
static void give_wait(const struct span_out *out, struct thread *thread,
		      const struct time_span *wait)
{
	struct time_span rest = *wait;
	struct throttled_run run;

	while (find_throttled(out, thread, wait->cpu, &rest, &run) ||
	       find_throttled(out, thread, thread->cpu, &rest, &run)) {
		struct time_span span = rest;

		span.end_ns = run.begin_ns;
		give_ready(out, thread, &span);
		span.begin_ns = run.begin_ns;
		span.end_ns = run.end_ns;
		span.is_throttled = true;
		give(out, thread, &span);
		rest.begin_ns = run.end_ns;
	}
	give_ready(out, thread, &rest);
}

/* Returns the error bound of the start of @part, a part of the time off the
 * CPU. The time of a wake-up is exact, but the thread may have left the CPU
 * only after it. Then it did not sleep, and was off the CPU for a shorter time.
 */
static uint32_t part_error_ns(const struct off_cpu *off,
			      const struct time_span *part)
{
	uint64_t since_ns = part->begin_ns - off->begin_ns;

	return off->begin_error_ns > since_ns ?
		       off->begin_error_ns - (uint32_t)since_ns :
		       0;
}

static void give_off(const struct span_out *out, struct thread *thread,
		     const struct off_cpu *off)
{
	struct time_span parts[OFF_CPU_PARTS];
	int count = off_cpu_split(off, &out->evidence, parts);

	fill_hole(out, thread, off->begin_ns);
	for (int i = 0; i < count; i++) {
		struct time_span *part = &parts[i];

		part->cpu = off->cpu < 0 ? thread->cpu : off->cpu;
		part->begin_error_ns = part_error_ns(off, part);
		if (part->time_class == TIME_RUNNABLE)
			give_wait(out, thread, part);
		else
			give(out, thread, part);
	}
}

void span_out_flush(const struct span_out *out, struct thread *thread)
{
	if (!thread->has_off || !thread->off.has_ended)
		return;
	thread->has_off = false;
	if (thread->tid > 0)
		give_off(out, thread, &thread->off);
}

/* Returns whether the time of @thread is emitted. Time with the trace unit off
 * is emitted only after the thread was traced: if only some threads are
 * recorded, others run during that time.
 */
static bool counts(struct thread *thread)
{
	bool is_off = thread->time_class == TIME_UNKNOWN &&
		      thread->reason == UNKNOWN_OFF;

	if (thread->is_unseen || !thread->begin_ns || !thread->tid)
		return false;
	if (!is_off)
		thread->is_traced = true;
	return thread->is_traced && !(is_off && thread->tid < 0);
}

void span_out_cut(const struct span_out *out, struct thread *thread,
		  uint64_t now_ns, uint32_t end_error_ns)
{
	struct time_span span = {
		.begin_ns = thread->begin_ns,
		.end_ns = now_ns,
		.time_class = thread->time_class,
		.reason = thread->reason,
		.is_provisional = thread->is_provisional,
		.cpu = thread->cpu,
		.begin_error_ns = thread->begin_error_ns,
		.end_error_ns = end_error_ns,
		.waker_tid = -1,
	};

	if (now_ns <= thread->begin_ns)
		return;
	thread->begin_ns = now_ns;
	if (!span.begin_ns || !counts(thread))
		return;
	span_out_flush(out, thread);
	fill_hole(out, thread, span.begin_ns);
	give(out, thread, &span);
}

void span_out_finish(const struct span_out *out, struct thread *thread,
		     uint64_t end_ns)
{
	if (thread->tid <= 0)
		return;
	span_out_flush(out, thread);
	/* If all CPUs are traced, the trace of the thread's CPU ended before
	 * the others', and its time ends there.
	 */
	if (thread->phase == THREAD_AWAY && !out->evidence.has_all_cpus)
		fill_hole(out, thread, end_ns);
	if (thread->phase != THREAD_OFF || !thread->has_off || thread->is_dead)
		return;
	thread->has_off = false;
	/* The thread's time ended with the trace of its CPU; it continued there
	 * untraced.
	 */
	if (out->evidence.has_all_cpus && thread->last_ns &&
	    thread->last_ns < thread->off.begin_ns)
		return;
	thread->off.end_ns = end_ns;
	give_off(out, thread, &thread->off);
}
