/* SPDX-License-Identifier: MIT */
#include "attribution/events/function_marks.h"
#include "attribution/time/on_cpu.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time_parts.h"
#include "attribution/time/thread_events.h"
#include "attribution/time/threads.h"
#include "attribution/time/untraced_wakeups.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/recorder_task.h"
#include "report/text/task_cgroups.h"

/* Sets the class of @thread's time from now on. */
static void classify(const struct task_time *time, struct thread *thread,
		     const struct traced_cpu *cpu)
{
	const struct open_context *contexts;
	enum time_class time_class = TIME_UNKNOWN;
	enum unknown_reason reason = on_cpu_reason(cpu->state);
	size_t count;

	if (cpu->state == CPU_TRACED) {
		contexts = task_contexts_open(time->contexts,
					      thread->task->index, &count);
		time_class = on_cpu_class(contexts, count,
					  thread_frames_in_user(thread));
	} else if (cpu->state == CPU_OUTSIDE) {
		reason = UNKNOWN_UNTRACED;
		if (!time->options.is_user_unknown)
			time_class = TIME_USER;
	} else if (cpu->state == CPU_GUEST) {
		time_class = TIME_GUEST;
	} else if (cpu->state == CPU_NOT_ASKED) {
		time_class = TIME_NOT_ASKED;
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

static void change_context(struct task_time *time, const struct call_step *step,
			   int change)
{
	time->context_change = change;
	if (task_contexts_take(time->contexts, step) < 0)
		time->status = -ERROR_MEMORY;
}

/* Emits the time before @step. */
static void cut(const struct task_time *time, struct thread *thread,
		const struct call_step *step)
{
	bool is_end = step->kind == STEP_LEAVE && thread->is_dead;
	uint32_t error_ns = error_of(step);

	span_out_cut(&time->out, thread, step->time_ns, is_end ? error_ns : 0);
	thread->begin_error_ns = error_ns;
}

/* Returns the scheduler context that @thread is in, or NULL. */
static const struct open_context *scheduler_of(const struct task_time *time,
					       const struct thread *thread)
{
	const struct open_context *top =
		task_contexts_top(time->contexts, thread->task->index);

	return top && top->kind == CONTEXT_SCHEDULE ? top : NULL;
}

/* Records whether the scheduler has put @thread to sleep and not yet returned.
 */
static void note_wakes(struct task_time *time, struct thread *thread,
		       const struct call_step *step, int change)
{
	if (untraced_wakeups_take(time->untraced_wakeups, step) < 0)
		time->status = -ERROR_MEMORY;
	if (step->kind == STEP_ENTER &&
	    untraced_wakeups_blocks(time->untraced_wakeups, step->function))
		thread->has_blocked |= scheduler_of(time, thread) != NULL;
	else if (change < 0 && scheduler_of(time, thread))
		thread->has_blocked = false;
}

/* Few recordings have a throttled group. Without them, only threads of one process are known to be in a group.
 */
void task_time_read_cgroups(struct task_time *time)
{
	int status;

	if (time->has_cgroups || !time->options.recording)
		return;
	time->has_cgroups = true;
	status = task_cgroups_open(time->options.recording, NULL,
				   &time->cgroups);
	time->out.cgroups = time->cgroups;
	if (status == -ERROR_MEMORY)
		time->status = status;
}

/* The scheduler throttles the group of the running thread or, while it adds a
 * thread to its queue, of that one.
 */
static void begin_throttling(struct task_time *time,
			     const struct thread *thread,
			     struct traced_cpu *cpu, uint64_t time_ns)
{
	const struct thread *of =
		cpu->is_enqueuing ?
			threads_find(time->threads, cpu->woken_tid) :
			thread;

	cpu->may_throttle = false;
	throttled_runs_begin(&cpu->throttled, time_ns, of ? of->tid : -1,
			     of ? of->pid : -1);
	task_time_read_cgroups(time);
}

/* Before Linux 6.3 a CPU ends the throttling of all: if its own has ended, that
 * of another.
 */
static void end_throttling(struct task_time *time, struct traced_cpu *cpu,
			   uint64_t time_ns)
{
	bool has_ended = throttled_runs_end(&cpu->throttled, time_ns);

	for (size_t i = 0; i < time->cpus.cpus.count && !has_ended; i++) {
		struct traced_cpu *other = array_at(&time->cpus.cpus, i);

		has_ended = throttled_runs_end(&other->throttled, time_ns);
	}
}

static void note_throttling(struct task_time *time, const struct thread *thread,
			    struct traced_cpu *cpu,
			    const struct call_step *step)
{
	bool is_enter = step->kind == STEP_ENTER;

	switch ((enum throttle_mark)function_marks_at(time->throttles,
						      step->function)) {
	case THROTTLE_NONE:
		return;
	case THROTTLE_TRIES:
		cpu->may_throttle = is_enter;
		return;
	case THROTTLE_ENQUEUES:
		cpu->is_enqueuing = is_enter;
		return;
	case THROTTLE_BEGINS:
		if (is_enter && cpu->may_throttle)
			begin_throttling(time, thread, cpu, step->time_ns);
		return;
	case THROTTLE_ENDS:
		if (is_enter)
			end_throttling(time, cpu, step->time_ns);
		return;
	}
}

static void take_call(struct task_time *time, struct thread *thread,
		      struct traced_cpu *cpu, const struct call_step *step)
{
	int change = task_contexts_change(time->contexts, step);

	note_throttling(time, thread, cpu, step);
	note_wakes(time, thread, step, change);
	if (!thread_frames_take(thread, time->options.kinds, step) && !change)
		return;
	cut(time, thread, step);
	if (change) {
		span_out_flush(&time->out, thread);
		change_context(time, step, change);
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

/* Records that @thread has a CPU now, and whether it is the recorder. */
static void note_running(const struct task_time *time, struct thread *thread,
			 struct traced_cpu *cpu, uint64_t time_ns)
{
	const struct task_time_options *options = &time->options;

	cpu->current = thread;
	thread->is_recorder = options->recorder &&
			      recorder_task_is(options->names,
					       options->recorder, thread->tid);
	if (thread->is_recorder)
		recorder_runs_begin(&cpu->recorder, time_ns);
}

static void leave(struct task_time *time, struct thread *thread,
		  struct traced_cpu *cpu, const struct call_step *step)
{
	const struct open_context *scheduler = scheduler_of(time, thread);

	cut(time, thread, step);
	if (cpu->state == CPU_OFF)
		time->is_of_threads = true;
	/* Not traced so far: earlier time is not part of its life. */
	if (!thread->is_traced)
		thread->has_off = false;
	span_out_flush(&time->out, thread);
	if (thread->is_recorder)
		recorder_runs_end(&cpu->recorder, step->time_ns);
	thread_leaves(thread, step->time_ns,
		      scheduler ? scheduler->begin_ns : 0);
	thread->off.begin_error_ns = error_of(step);
	if (cpu->next_owner)
		thread_inherits(cpu->next_owner, step->time_ns);
	cpu->next_owner = NULL;
}

static void come(struct task_time *time, struct thread *thread,
		 struct traced_cpu *cpu, const struct call_step *step)
{
	struct untraced_wakeup untraced =
		untraced_wakeups_last(time->untraced_wakeups);

	span_out_flush(&time->out, thread);
	thread_comes(thread, step->time_ns, (int32_t)step->cpu);
	thread->begin_error_ns = error_of(step);
	if (untraced.time_ns)
		thread_wakes_unseen(thread, untraced.time_ns, untraced.tid);
	note_running(time, thread, cpu, step->time_ns);
	/* The thread starts with the trace of its CPU. */
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

/* The first step of a CPU belongs to the thread that already runs there. */
static void start_running(struct task_time *time, struct thread *thread,
			  struct traced_cpu *cpu, const struct call_step *step)
{
	thread_comes(thread, step->time_ns, (int32_t)step->cpu);
	thread->has_off = false;
	note_running(time, thread, cpu, step->time_ns);
	classify(time, thread, cpu);
}

/* The last steps of the trace end the open functions of threads that are off
 * the CPU; the steps of an exec, those of threads that it ended.
 */
static void finish(struct task_time *time, struct thread *thread,
		   const struct call_step *step)
{
	if (thread->is_traced)
		span_out_finish(&time->out, thread, step->time_ns);
	if (!thread->is_dead)
		thread->phase = THREAD_ENDED;
	change_context(time, step, task_contexts_change(time->contexts, step));
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

void task_time_apply(struct task_time *time, struct thread *thread,
		     struct traced_cpu *cpu, const struct call_step *step)
{
	if (thread->phase != THREAD_ON && step->kind == STEP_EXIT) {
		finish(time, thread, step);
		return;
	}
	if (thread->phase != THREAD_ON && step->kind != STEP_SWITCH)
		start_running(time, thread, cpu, step);
	take_step(time, thread, cpu, step);
}
