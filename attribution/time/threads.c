/* SPDX-License-Identifier: MIT */
#include "attribution/time/threads_internal.h"

#include "attribution/time/task_contexts.h"
#include "attribution/time/time_span.h"
#include "attribution/time/untraced_internal.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "symbolize/functions/context_kinds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct threads {
	struct array all;	  /* struct thread * */
	struct array by_task;	  /* struct thread * by task index */
	struct number_map by_tid; /* index in all, plus 1 */
};

struct threads *threads_new(void)
{
	struct threads *threads = calloc(1, sizeof(*threads));

	if (threads) {
		threads->all = ARRAY_OF(struct thread *);
		threads->by_task = ARRAY_OF(struct thread *);
	}
	return threads;
}

void threads_clear(struct threads *threads)
{
	for (size_t i = 0; i < threads->all.count; i++)
		free(threads_at(threads, i));
	threads->all.count = 0;
	threads->by_task.count = 0;
	number_map_clear(&threads->by_tid);
}

void threads_free(struct threads *threads)
{
	if (!threads)
		return;
	threads_clear(threads);
	array_free(&threads->all);
	array_free(&threads->by_task);
	number_map_free(&threads->by_tid);
	free(threads);
}

static struct thread *add(struct threads *threads, int32_t tid)
{
	struct thread **slot = array_add(&threads->all);

	if (!slot)
		return NULL;
	*slot = calloc(1, sizeof(**slot));
	if (!*slot) {
		threads->all.count--;
		return NULL;
	}
	(*slot)->index = (uint32_t)threads->all.count - 1;
	(*slot)->tid = tid;
	(*slot)->pid = -1;
	(*slot)->cpu = -1;
	return *slot;
}

struct thread *threads_find(const struct threads *threads, int32_t tid)
{
	const uint64_t *number =
		number_map_find(&threads->by_tid, (uint64_t)tid);

	return number && *number ? threads_at(threads, *number - 1) : NULL;
}

struct thread *threads_of_tid(struct threads *threads, int32_t tid)
{
	uint64_t *number = number_map_add(&threads->by_tid, (uint64_t)tid);
	struct thread *thread;

	if (!number)
		return NULL;
	if (*number)
		return threads_at(threads, *number - 1);
	thread = add(threads, tid);
	if (thread)
		*number = threads->all.count;
	return thread;
}

static struct thread *find_or_add(struct threads *threads,
				  const struct task *task)
{
	struct thread *thread = task->tid > 0 ?
					threads_of_tid(threads, task->tid) :
					add(threads, task->tid);

	if (!thread)
		return NULL;
	thread->task = task;
	thread->pid = task->pid;
	return thread;
}

struct thread *threads_of_task(struct threads *threads, const struct task *task)
{
	struct thread **slot;

	slot = array_reach(&threads->by_task, task->index);
	if (!slot)
		return NULL;
	if (!*slot)
		*slot = find_or_add(threads, task);
	return *slot;
}

struct thread *threads_at(const struct threads *threads, size_t index)
{
	return index < threads->all.count ?
		       *(struct thread **)array_at(&threads->all, index) :
		       NULL;
}

static void pack_off(struct off_cpu *off, struct pack *pack)
{
	pack_u64(pack, &off->begin_ns);
	pack_u64(pack, &off->end_ns);
	pack_u64(pack, &off->wake_ns);
	pack_u32(pack, &off->begin_error_ns);
	pack_i32(pack, &off->waker_tid);
	pack_bool(pack, &off->is_wake_inferred);
	pack_bool(pack, &off->has_blocked);
	pack_i32(pack, &off->cpu);
	pack_small(pack, &off->how, OFF_NEW);
	pack_bool(pack, &off->has_ended);
}

/* Packs the state of a thread on a CPU. */
static void pack_on(struct thread *thread, struct pack *pack)
{
	pack_u64(pack, &thread->begin_ns);
	pack_u32(pack, &thread->begin_error_ns);
	pack_i32(pack, &thread->cpu);
	pack_small(pack, &thread->time_class, TIME_CLASSES - 1);
	pack_small(pack, &thread->reason, UNKNOWN_REASONS - 1);
	pack_bool(pack, &thread->is_unseen);
	pack_bool(pack, &thread->is_provisional);
	pack_bool(pack, &thread->is_bottom_unseen);
	pack_u32(pack, &thread->frames);
	pack_u32(pack, &thread->user_frames);
}

static void pack_thread(struct thread *thread, struct pack *pack)
{
	pack_i32(pack, &thread->pid);
	pack_small(pack, &thread->phase, THREAD_ENDED);
	pack_bool(pack, &thread->is_traced);
	pack_bool(pack, &thread->is_recorder);
	pack_bool(pack, &thread->is_dead);
	pack_bool(pack, &thread->polls_perf);
	pack_u64(pack, &thread->last_ns);
	pack_off(&thread->off, pack);
	pack_bool(pack, &thread->has_off);
	pack_small(pack, &thread->next_how, OFF_NEW);
	pack_bool(pack, &thread->has_blocked);
	pack_u64(pack, &thread->pending_wakeup_ns);
	pack_i32(pack, &thread->pending_waker_tid);
	pack_on(thread, pack);
}

/* Reads the identity of the thread with number @index, and adds it. */
static struct thread *read_thread(struct threads *threads,
				  const struct task_pack *tasks, uint32_t index)
{
	struct thread *thread = NULL;
	const struct task *task;
	int32_t tid = 0;

	pack_i32(tasks->pack, &tid);
	task_pack_task(tasks, &task);
	pack_check(tasks->pack, task ? task->tid == tid : tid > 0);
	if (tasks->pack->failed)
		return NULL;
	thread = task ? threads_of_task(threads, task) :
			threads_of_tid(threads, tid);
	pack_check(tasks->pack, thread && thread->index == index);
	return tasks->pack->failed ? NULL : thread;
}

static struct thread *pack_id(struct threads *threads,
			      const struct task_pack *tasks, uint32_t index)
{
	struct thread *thread;

	if (tasks->pack->is_reading)
		return read_thread(threads, tasks, index);
	thread = threads_at(threads, index);
	pack_i32(tasks->pack, &thread->tid);
	task_pack_task(tasks, &thread->task);
	return thread;
}

void threads_pack(struct threads *threads, const struct task_pack *tasks)
{
	uint32_t count = 0;

	while (!tasks->pack->is_reading && threads_at(threads, count))
		count++;
	pack_u32(tasks->pack, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct thread *thread = pack_id(threads, tasks, i);

		if (!thread)
			return;
		pack_thread(thread, tasks->pack);
	}
}

void threads_pack_one(const struct threads *threads, struct pack *pack,
		      struct thread **thread)
{
	uint32_t number = 0;

	if (!pack->is_reading && *thread)
		number = (*thread)->index + 1;
	pack_u32(pack, &number);
	if (!pack->is_reading)
		return;
	*thread = number ? threads_at(threads, number - 1) : NULL;
	pack_check(pack, !number || *thread);
}

static void begin_off(struct thread *thread, uint64_t time_ns, enum off_how how)
{
	thread->phase = THREAD_OFF;
	thread->has_off = true;
	thread->off = (struct off_cpu){
		.begin_ns = time_ns,
		.how = (uint8_t)how,
		.waker_tid = -1,
		.cpu = thread->cpu,
	};
}

static void end_off(struct thread *thread, uint64_t time_ns)
{
	thread->off.end_ns =
		time_ns > thread->off.begin_ns ? time_ns : thread->off.begin_ns;
	thread->off.has_ended = true;
}

static void wake(struct off_cpu *off, uint64_t time_ns, int32_t waker_tid)
{
	if (off->wake_ns && !off->is_wake_inferred)
		return;
	off->wake_ns = time_ns;
	off->waker_tid = waker_tid;
	off->is_wake_inferred = false;
}

void thread_wakes_unseen(struct thread *thread, uint64_t time_ns,
			 int32_t waker_tid)
{
	struct off_cpu *off = &thread->off;

	if (!thread->has_off || !off->has_blocked || off->wake_ns ||
	    time_ns <= off->begin_ns)
		return;
	wake(off, time_ns, waker_tid);
	off->is_wake_inferred = true;
	thread->polls_perf = true;
}

void thread_wakes(struct thread *thread, uint64_t time_ns, int32_t waker_tid)
{
	if (thread->phase == THREAD_UNKNOWN)
		begin_off(thread, 0, OFF_UNSEEN);
	if (thread->phase == THREAD_OFF) {
		wake(&thread->off, time_ns, waker_tid);
		return;
	}
	/* The clocks of two CPUs differ: the thread already runs, but the event
	 * is before that by the waker's clock.
	 */
	if (thread->has_off && time_ns <= thread->off.end_ns)
		wake(&thread->off, time_ns, waker_tid);
	thread->pending_wakeup_ns = time_ns;
	thread->pending_waker_tid = waker_tid;
}

void thread_begins(struct thread *thread, uint64_t time_ns)
{
	/* Its creator has only now made it runnable. */
	if (thread->phase == THREAD_OFF && thread->off.how == OFF_NEW)
		thread->off.begin_ns = time_ns;
	if (thread->phase != THREAD_UNKNOWN && !thread->is_dead)
		return;
	thread->is_dead = false;
	thread->last_ns = 0;
	begin_off(thread, time_ns, OFF_NEW);
}

static void leave_untraced(struct thread *thread, uint64_t time_ns, int32_t cpu,
			   int64_t prev_state)
{
	thread->cpu = cpu;
	begin_off(thread, time_ns, off_how_of(prev_state));
}

static bool announce_off(struct thread *thread, uint64_t time_ns, int32_t cpu,
			 int64_t prev_state)
{
	if (thread->off.how == OFF_LEFT) {
		thread->off.how = (uint8_t)off_how_of(prev_state);
		return false;
	}
	if (!thread->is_dead || off_is_dead(prev_state))
		return false;
	thread->is_dead = false;
	thread->last_ns = 0;
	leave_untraced(thread, time_ns, cpu, prev_state);
	return true;
}

bool thread_announces(struct thread *thread, uint64_t time_ns, int32_t cpu,
		      int64_t prev_state, bool is_traced)
{
	bool is_reborn = false;

	if (thread->phase == THREAD_ON)
		thread->next_how = (uint8_t)off_how_of(prev_state);
	else if (thread->phase == THREAD_OFF)
		is_reborn = announce_off(thread, time_ns, cpu, prev_state);
	else if (!is_traced)
		leave_untraced(thread, time_ns, cpu, prev_state);
	if (off_is_dead(prev_state))
		thread->is_dead = true;
	return is_reborn;
}

void thread_inherits(struct thread *thread, uint64_t time_ns)
{
	if (thread->phase == THREAD_OFF && time_ns > thread->off.begin_ns)
		thread->off.begin_ns = time_ns;
}

void thread_goes_away(struct thread *thread, uint64_t time_ns, int32_t cpu)
{
	if (thread->phase == THREAD_OFF)
		end_off(thread, time_ns);
	thread->phase = THREAD_AWAY;
	thread->cpu = cpu;
}

void thread_leaves(struct thread *thread, uint64_t time_ns,
		   uint64_t schedule_ns)
{
	begin_off(thread, time_ns, (enum off_how)thread->next_how);
	thread->off.has_blocked = thread->has_blocked;
	/* The thread was woken before it slept. */
	if (schedule_ns && thread->pending_wakeup_ns >= schedule_ns)
		wake(&thread->off, thread->pending_wakeup_ns,
		     thread->pending_waker_tid);
}

void thread_comes(struct thread *thread, uint64_t time_ns, int32_t cpu)
{
	if (thread->phase == THREAD_UNKNOWN)
		begin_off(thread, 0, OFF_UNSEEN);
	if (thread->phase == THREAD_OFF)
		end_off(thread, time_ns);
	thread->phase = THREAD_ON;
	thread->begin_ns = time_ns;
	thread->cpu = cpu;
	thread->next_how = OFF_LEFT;
	thread->pending_wakeup_ns = 0;
	thread->has_blocked = false;
}

bool thread_frames_in_user(const struct thread *thread)
{
	return thread->user_frames && thread->frames == thread->user_frames;
}

/* Updates the depth of the call stack and of its part in user space. */
static void count(struct thread *thread, const struct context_kinds *kinds,
		  const struct call_step *step)
{
	if (step->kind == STEP_EXIT) {
		thread->frames = step->depth;
		if (thread->user_frames > step->depth)
			thread->user_frames = step->depth;
		return;
	}
	if (thread->user_frames == step->depth &&
	    context_kinds_is_user(kinds, step->function))
		thread->user_frames = step->depth + 1;
	thread->frames = step->depth + 1;
}

/* Returns whether a thread was found in the middle of a stack, so that its
 * first functions are not known: it is in a system call or another context, or
 * it is a kernel thread.
 */
static bool is_bottom_unseen(const struct thread *thread,
			     const struct context_kinds *kinds,
			     const struct call_step *step)
{
	enum context_kind kind = context_kind_of(kinds, step->function);
	/* A task that slept when tracing began first appears by a jump to
	 * __switch_to, in the middle of its stack.
	 */
	bool is_found = step->how == HOW_INFERRED ||
			(step->how == HOW_TAIL && !thread->last_ns);

	return (is_found || thread->is_bottom_unseen) &&
	       (kind == CONTEXT_NONE || kind == CONTEXT_SCHEDULE) &&
	       !thread->user_frames && step->how != HOW_START &&
	       thread->off.how != OFF_NEW;
}

bool thread_frames_consume(struct thread *thread,
			   const struct context_kinds *kinds,
			   const struct call_step *step)
{
	bool was_in_user = thread_frames_in_user(thread);
	bool was_unseen = thread->is_bottom_unseen;

	count(thread, kinds, step);
	if (step->kind == STEP_ENTER && !step->depth)
		thread->is_bottom_unseen =
			is_bottom_unseen(thread, kinds, step);
	return was_in_user != thread_frames_in_user(thread) ||
	       was_unseen != thread->is_bottom_unseen;
}

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
	struct cpu_run run;

	while (cpu && cpu_runs_find(&cpu->recorder, span.begin_ns, wait->end_ns,
				    NULL, NULL, &run)) {
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
static bool is_of_group(const void *ctx, const struct cpu_run *run)
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
			   const struct time_span *wait, struct cpu_run *run)
{
	const struct traced_cpu *traced = traced_cpus_find(out->cpus, cpu);
	const struct throttled_thread of = { out, thread };

	return traced && cpu_runs_find(&traced->throttled, wait->begin_ns,
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
	struct cpu_run run;

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
