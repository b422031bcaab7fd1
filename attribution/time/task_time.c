/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_time.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/threads_internal.h"
#include "attribution/time/time_span.h"
#include "attribution/time/untraced_internal.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

/* Each step and each event first ends the thread's time until then as a span
 * (cut()), in the class that the thread was in, and then sets the next class
 * (classify()). The class follows from three states:
 *
 *	on a CPU    the open kernel contexts (task_contexts.h), and the tracer
 *	off a CPU   why it left (threads_internal.h): asleep, …
 *	of the CPU  traced, or in a gap: unknown, with a reason
 *
 * Wake-ups that no event reports are found by the steps (untraced_internal.h).
 * Most calls change no class: they only count frames, which is decided by the
 * function's mark and the depth (struct current_thread).
 */

/* The thread of the newest step. Calls deeper than floor change only the count
 * of its frames, unless their function is marked.
 */
struct current_thread {
	const struct task *task; /* NULL: the next step may change anything */
	uint32_t cpu;
	uint32_t floor;
	struct thread *thread;
};

struct task_time {
	struct task_time_options options;
	struct span_out out;
	struct task_contexts *contexts;
	struct untraced_wakeups *untraced_wakeups;
	struct threads *threads;
	struct traced_cpus cpus;
	struct current_thread current;
	/* functions that change a thread's state */
	struct function_marks *marks;
	/* functions that throttle cgroups: enum throttle_mark */
	struct function_marks *throttles;
	struct task_cgroups *cgroups; /* NULL: not needed, or unknown */
	bool has_cgroups;	      /* they were read, if there are any */
	int context_change;	      /* made by the newest step */
	uint64_t end_ns;	      /* of the newest step */
	uint32_t task_count;	      /* number of tasks in the steps */
	size_t due;		      /* thread index: see task_time_is_due() */
	bool is_of_threads; /* the unit is off while other tasks run */
	int status;
};

/* kernel/sched/fair.c: the functions that throttle a cgroup on a CPU.
 * throttle_cfs_rq() first tries to get more of the quota, and calls
 * tg_throttle_down(), for each cgroup below it, only if there is none.
 */
enum throttle_mark {
	THROTTLE_NONE,
	THROTTLE_TRIES,	   /* throttle_cfs_rq() */
	THROTTLE_BEGINS,   /* tg_throttle_down() */
	THROTTLE_ENDS,	   /* unthrottle_cfs_rq() */
	THROTTLE_ENQUEUES, /* enqueue_task_fair() */
};

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
	if (task_contexts_consume(time->contexts, step) < 0)
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

/* Tracks wake-ups without an event, and whether the scheduler has put @thread
 * to sleep and not yet returned.
 */
static void note_wakes(struct task_time *time, struct thread *thread,
		       const struct call_step *step, int change)
{
	if (untraced_wakeups_consume(time->untraced_wakeups, step) < 0)
		time->status = -ERROR_MEMORY;
	if (step->kind == STEP_ENTER &&
	    untraced_wakeups_blocks(time->untraced_wakeups, step->function))
		thread->has_blocked |= scheduler_of(time, thread) != NULL;
	else if (change < 0 && scheduler_of(time, thread))
		thread->has_blocked = false;
}

/* Reads the threads' cgroups when the first group is throttled, which few
 * recordings have. Without cgroups, only threads of the same process are known
 * to share a group.
 */
static void read_cgroups(struct task_time *time)
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

/* Starts the throttling of a thread's cgroup. The thread is the one that the
 * scheduler is adding to its queue or, if there is none, the running one.
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
	cpu_runs_begin(&cpu->throttled, time_ns, of ? of->tid : -1,
		       of ? of->pid : -1);
	read_cgroups(time);
}

/* Ends the throttling that started on @cpu. If that throttling has ended
 * already, ends one on another CPU instead: before Linux 6.3 one CPU ends the
 * throttling on all CPUs.
 */
static void end_throttling(struct task_time *time, struct traced_cpu *cpu,
			   uint64_t time_ns)
{
	bool has_ended = cpu_runs_end_oldest(&cpu->throttled, time_ns);

	for (size_t i = 0; i < time->cpus.cpus.count && !has_ended; i++) {
		struct traced_cpu *other = array_at(&time->cpus.cpus, i);

		has_ended = cpu_runs_end_oldest(&other->throttled, time_ns);
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

static void consume_call(struct task_time *time, struct thread *thread,
			 struct traced_cpu *cpu, const struct call_step *step)
{
	int change = task_contexts_change(time->contexts, step);

	note_throttling(time, thread, cpu, step);
	note_wakes(time, thread, step, change);
	if (!thread_frames_consume(thread, time->options.kinds, step) &&
	    !change)
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
		cpu_runs_begin(&cpu->recorder, time_ns, thread->tid,
			       thread->pid);
}

static void leave(struct task_time *time, struct thread *thread,
		  struct traced_cpu *cpu, const struct call_step *step)
{
	const struct open_context *scheduler = scheduler_of(time, thread);

	cut(time, thread, step);
	if (cpu->state == CPU_OFF)
		time->is_of_threads = true;
	/* The thread was not traced so far: earlier time is not part of its
	 * life.
	 */
	if (!thread->is_traced)
		thread->has_off = false;
	span_out_flush(&time->out, thread);
	if (thread->is_recorder)
		cpu_runs_end_last(&cpu->recorder, step->time_ns);
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

/* Applies the first step of a CPU: @thread already runs there. */
static void start_running(struct task_time *time, struct thread *thread,
			  struct traced_cpu *cpu, const struct call_step *step)
{
	thread_comes(thread, step->time_ns, (int32_t)step->cpu);
	thread->has_off = false;
	note_running(time, thread, cpu, step->time_ns);
	classify(time, thread, cpu);
}

/* Applies a step of a thread that is off the CPU. Such steps end its open
 * functions, at the end of the trace, or when exec in another thread ended it.
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

static void consume_step(struct task_time *time, struct thread *thread,
			 struct traced_cpu *cpu, const struct call_step *step)
{
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
	case STEP_EXIT:
		consume_call(time, thread, cpu, step);
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
	case STEP_INTERRUPTS:
		break;
	}
}

/* Applies @step, of @thread on @cpu. */
static void task_time_apply(struct task_time *time, struct thread *thread,
			    struct traced_cpu *cpu,
			    const struct call_step *step)
{
	if (thread->phase != THREAD_ON && step->kind == STEP_EXIT) {
		finish(time, thread, step);
		return;
	}
	if (thread->phase != THREAD_ON && step->kind != STEP_SWITCH)
		start_running(time, thread, cpu, step);
	consume_step(time, thread, cpu, step);
}

/* Returns whether @thread, without a recorded wake-up, may turn out to have
 * been woken by perf: thread_wakes_unseen(). The recorder waits for perf, as do
 * other threads that perf has woken before.
 */
static bool may_be_woken(const struct task_time *time,
			 const struct thread *thread, uint64_t until_ns)
{
	const struct off_cpu *off = &thread->off;
	struct untraced_wakeup last =
		untraced_wakeups_last(time->untraced_wakeups);

	return (thread->is_recorder || thread->polls_perf) &&
	       off->has_blocked && last.time_ns > off->begin_ns &&
	       last.time_ns < until_ns;
}

/* Returns whether a thread that was not woken sleeps. Before the trace starts,
 * only the switch event shows why a thread left its CPU.
 */
static bool sleeps(const struct task_time *time, const struct off_cpu *off)
{
	return off->has_blocked ||
	       (off->how == OFF_ASLEEP && off->begin_ns < time->out.start_ns);
}

/* Returns whether the recorder had the CPU, or a cgroup was throttled on it,
 * while the thread may have waited for it: such a wait is emitted in several
 * spans.
 */
static bool may_be_cut(const struct task_time *time, const struct off_cpu *off,
		       uint64_t until_ns)
{
	const struct traced_cpu *cpu = traced_cpus_find(&time->cpus, off->cpu);
	struct cpu_run run;

	return !sleeps(time, off) && cpu &&
	       (cpu_runs_find(&cpu->recorder, off->begin_ns, until_ns, NULL,
			      NULL, &run) ||
		cpu_runs_find(&cpu->throttled, off->begin_ns, until_ns, NULL,
			      NULL, &run));
}

static bool is_due(const struct task_time *time, const struct thread *thread,
		   uint64_t until_ns)
{
	const struct off_cpu_evidence *evidence = &time->out.evidence;
	const struct off_cpu *off = &thread->off;

	if (!thread->has_off || thread->tid <= 0 || off->begin_ns >= until_ns)
		return false;
	/* If the thread's time on the CPU was not emitted yet, it becomes a
	 * span of its own.
	 */
	if (off->has_ended ||
	    (thread->last_ns && thread->last_ns < off->begin_ns))
		return true;
	if (!evidence->has_all_cpus || !off_cpu_is_known(evidence))
		return false;
	if (off->wake_ns)
		return off->wake_ns < until_ns;
	return may_be_woken(time, thread, until_ns) ||
	       may_be_cut(time, off, until_ns);
}

bool task_time_is_due(struct task_time *time, uint64_t until_ns)
{
	const struct thread *thread;

	/* The thread that was due last is usually still due. */
	thread = threads_at(time->threads, time->due);
	if (thread && is_due(time, thread, until_ns))
		return true;
	for (size_t i = 0; (thread = threads_at(time->threads, i)); i++) {
		time->due = i;
		if (is_due(time, thread, until_ns))
			return true;
	}
	return time->end_ns < until_ns;
}

/* Handles exec in a thread that is not the first of process @pid. That thread
 * takes over the id of the first thread, @tid. In the trace of @cpu it still
 * has its old id: the thread of that id ends when it leaves the CPU.
 */
static void end_by_exec(const struct traced_cpu *cpu, int32_t pid, int32_t tid)
{
	struct thread *current = cpu ? cpu->current : NULL;

	if (current && current->tid > 0 && current->tid != tid &&
	    current->pid == pid)
		current->is_dead = true;
}

/* Applies the half of a switch event about the thread that leaves. If a thread
 * that had ended leaves its CPU alive, exec() in another thread of its process
 * has taken over its id. The record of that exec() may arrive only after this
 * switch.
 */
static int announce(struct task_time *time, const struct event_record *event,
		    int32_t tid, bool is_traced)
{
	struct traced_cpu *cpu = traced_cpus_find(&time->cpus, event->cpu);
	struct thread *thread = threads_of_tid(time->threads, tid);

	if (!thread)
		return -ERROR_MEMORY;
	if (thread->phase == THREAD_AWAY && thread->is_traced)
		span_out_flush(&time->out, thread);
	if (thread_announces(thread, event->time_ns, event->cpu,
			     event->values[SWITCH_PREV_STATE], is_traced) &&
	    cpu) {
		cpu->next_owner = thread;
		end_by_exec(cpu, event->pid, tid);
	}
	return 0;
}

static int send_away(struct task_time *time, const struct event_record *event,
		     int32_t tid)
{
	struct thread *thread = threads_of_tid(time->threads, tid);

	if (!thread)
		return -ERROR_MEMORY;
	thread_goes_away(thread, event->time_ns, event->cpu);
	return 0;
}

/* Applies a switch event. On a CPU with steps, the steps show when the next
 * thread starts.
 */
static int consume_switch(struct task_time *time,
			  const struct event_record *event)
{
	int32_t prev = (int32_t)event->values[SWITCH_PREV];
	int32_t next = (int32_t)event->values[SWITCH_NEXT];
	bool is_traced = traced_cpus_show(&time->cpus, event->cpu);
	int status = 0;

	if (prev > 0)
		status = announce(time, event, prev, is_traced);
	if (!status && next > 0 && !is_traced)
		status = send_away(time, event, next);
	return status;
}

static int consume_wakeup(struct task_time *time,
			  const struct event_record *event)
{
	int32_t tid = (int32_t)event->values[WAKING_TID];
	struct traced_cpu *cpu = traced_cpus_find(&time->cpus, event->cpu);
	struct thread *thread;

	if (tid <= 0)
		return 0;
	if (cpu)
		cpu->woken_tid = tid;
	thread = threads_of_tid(time->threads, tid);
	if (!thread)
		return -ERROR_MEMORY;
	if (event->event == EVENT_SCHED_WAKING)
		thread_wakes(thread, event->time_ns, event->tid);
	else
		thread_begins(thread, event->time_ns);
	return 0;
}

/* Most events change no thread, so they do not clear @time->current: the calls
 * after them are skipped like those before.
 */
void task_time_event(struct task_time *time, const struct event_record *event)
{
	bool is_switch = event->event == EVENT_SCHED_SWITCH;
	int status;

	if (!is_switch && event->event != EVENT_SCHED_WAKING &&
	    event->event != EVENT_SCHED_WAKEUP_NEW)
		return;
	time->current.task = NULL;
	/* Events after the end of the trace are outside the recording. */
	if (traced_cpus_are_over(&time->cpus))
		return;
	status = is_switch ? consume_switch(time, event) :
			     consume_wakeup(time, event);
	if (status < 0)
		time->status = status;
}

static int consume_life(struct task_time *time,
			const struct sideband_record *record)
{
	struct thread *thread = threads_of_tid(time->threads, record->tid);

	if (!thread)
		return -ERROR_MEMORY;
	if (record->kind == SIDEBAND_EXIT) {
		thread->is_dead = true;
		return 0;
	}
	thread->pid = record->pid;
	thread_begins(thread, record->time_ns);
	return 0;
}

void task_time_record(struct task_time *time,
		      const struct sideband_record *record)
{
	time->current.task = NULL;
	/* Records without a time are from before the recording. */
	if (traced_cpus_are_over(&time->cpus) || !record->time_ns ||
	    record->tid <= 0)
		return;
	if (record->kind == SIDEBAND_COMM && record->comm.exec)
		end_by_exec(traced_cpus_find(&time->cpus, record->cpu),
			    record->pid, record->tid);
	if ((record->kind == SIDEBAND_FORK || record->kind == SIDEBAND_EXIT) &&
	    consume_life(time, record) < 0)
		time->status = -ERROR_MEMORY;
}

struct task_time_options
task_time_options_of(const struct attribution_input *input)
{
	return (struct task_time_options){
		.kinds = input->kinds,
		.functions = symbols_functions(input->symbols),
		.evidence =
			off_cpu_evidence_of(input->recording, input->events),
		.names = input->names,
		.recording = input->recording,
		.recorder = recording_info(input->recording)->command,
		.is_user_unknown = !recording_traces_kernel(input->recording),
	};
}

static const struct name_rule throttle_rules[] = {
	{ "throttle_cfs_rq", false, THROTTLE_TRIES },
	{ "tg_throttle_down", false, THROTTLE_BEGINS },
	{ "unthrottle_cfs_rq", false, THROTTLE_ENDS },
	{ "enqueue_task_fair", false, THROTTLE_ENQUEUES },
};

/* Marks the functions whose calls task_time_apply() must handle. */
static struct function_marks *
find_marked(const struct task_time_options *options,
	    const struct untraced_wakeups *wakes,
	    const struct function_marks *throttles)
{
	uint32_t count = function_count(options->functions);
	struct function_marks *marks = function_marks_new(count);

	for (uint32_t i = 0; marks && wakes && throttles && i < count; i++)
		marks->values[i] = function_marks_has(throttles, i) ||
				   context_kind_of(options->kinds, i) !=
					   CONTEXT_NONE ||
				   context_kinds_is_user(options->kinds, i) ||
				   untraced_wakeups_has(wakes, i);
	return marks;
}

/* Sets the output to the state before the first step and event. */
static void begin_spans(struct task_time *time, struct span_callback *callback)
{
	time->out = (struct span_out){
		.callback = callback,
		.contexts = time->contexts,
		.cpus = &time->cpus,
		.evidence = time->options.evidence,
	};
}

struct task_time *task_time_new(const struct task_time_options *options,
				struct span_callback *callback)
{
	struct task_time *time = calloc(1, sizeof(*time));

	if (!time)
		return NULL;
	time->options = *options;
	time->untraced_wakeups = untraced_wakeups_new(options->functions);
	time->throttles = function_marks_by_rules(
		options->functions, throttle_rules,
		sizeof(throttle_rules) / sizeof(*throttle_rules));
	time->marks =
		find_marked(options, time->untraced_wakeups, time->throttles);
	time->cpus = TRACED_CPUS_NONE;
	time->contexts = task_contexts_new(options->kinds);
	time->threads = threads_new();
	begin_spans(time, callback);
	if (time->contexts && time->threads && time->untraced_wakeups &&
	    time->marks && time->throttles)
		return time;
	task_time_free(time);
	return NULL;
}

void task_time_reset(struct task_time *time,
		     const struct off_cpu_evidence *evidence)
{
	task_contexts_clear(time->contexts);
	threads_clear(time->threads);
	traced_cpus_clear(&time->cpus);
	task_cgroups_close(time->cgroups);
	time->cgroups = NULL;
	time->has_cgroups = false;
	untraced_wakeups_clear(time->untraced_wakeups);
	time->options.evidence = *evidence;
	time->current = (struct current_thread){ 0 };
	time->end_ns = 0;
	time->task_count = 0;
	time->is_of_threads = false;
	time->status = 0;
	begin_spans(time, time->out.callback);
}

void task_time_free(struct task_time *time)
{
	if (!time)
		return;
	task_contexts_free(time->contexts);
	threads_free(time->threads);
	traced_cpus_free(&time->cpus);
	task_cgroups_close(time->cgroups);
	untraced_wakeups_free(time->untraced_wakeups);
	free(time->marks);
	free(time->throttles);
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

	/* The trace of a single thread is stored as that of CPU -1. */
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

/* If @step is a call or return that changes only the number of frames, applies
 * it. Returns whether it did.
 */
static bool apply_plain_call(struct task_time *time,
			     const struct call_step *step)
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
		if (step->kind != STEP_EXIT || step->depth <= current->floor ||
		    function_marks_has(time->throttles, step->function))
			return false;
		current->thread->frames = step->depth;
	}
	if (step->time_ns > time->end_ns)
		time->end_ns = step->time_ns;
	return true;
}

/* Returns the greatest depth at which a call or return may change the state;
 * deeper ones only change the number of frames. A return at the innermost
 * context's depth ends it; a call right after the frames of user space enters
 * the kernel; a call at depth 0 shows how the thread was found.
 */
static uint32_t floor_of(const struct task_time *time,
			 const struct thread *thread, uint32_t index)
{
	const struct open_context *top =
		task_contexts_top(time->contexts, index);

	return top && top->depth > thread->user_frames ? top->depth :
							 thread->user_frames;
}

/* Stores the current thread for the fast path of calls that change nothing.
 * There is none while each exit matters: within a wake-up by perf.
 */
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
	if (apply_plain_call(time, step))
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

uint8_t task_time_needs(const struct task_time *time, uint32_t function)
{
	if (function_marks_has(time->throttles, function) ||
	    untraced_wakeups_has(time->untraced_wakeups, function))
		return NEED_ALWAYS;
	return context_kinds_need(time->options.kinds, function);
}

void task_time_limit(const struct task_time *time, const struct call_step *step,
		     struct skip_limits *limits)
{
	const struct current_thread *current = &time->current;
	const struct open_context *top;

	if (step->task != current->task || step->cpu != current->cpu) {
		limits->frames = UINT32_MAX;
		return;
	}
	top = task_contexts_top(time->contexts, step->task->index);
	skip_limits_raise(limits, top ? top->depth + 1 : 1);
	/* While the task is in user space, only calls of user functions may be
	 * skipped: any kernel function shows that the task enters the kernel.
	 */
	if (thread_frames_in_user(current->thread)) {
		limits->needs = 1 << NEED_OUTSIDE_USER;
		return;
	}
	skip_limits_raise(limits, current->floor + 1);
	if (top)
		limits->needs |= 1 << (NEED_OUTSIDE + top->kind);
}

void task_time_skip(struct task_time *time, const struct skipped_calls *skipped)
{
	struct thread *thread = time->current.thread;

	time->context_change = 0;
	if (thread_frames_in_user(thread)) {
		thread->user_frames = skipped->frame_count;
		time->current.floor =
			floor_of(time, thread, skipped->last->task->index);
	}
	thread->frames = skipped->frame_count;
	if (skipped->last->time_ns > time->end_ns)
		time->end_ns = skipped->last->time_ns;
}

/* Returns whether @thread was woken and never ran. */
static bool was_only_woken(const struct task_time *time,
			   const struct thread *thread)
{
	return !thread->task && !time->is_of_threads &&
	       thread->phase == THREAD_OFF;
}

/* Emits the rest of @thread's time. */
static void finish_thread(struct task_time *time, struct thread *thread)
{
	if (was_only_woken(time, thread))
		/* No step has the task of this thread. */
		thread->own = (struct task){
			.index = time->task_count++,
			.tid = thread->tid,
			.pid = thread->pid,
			.cpu = thread->cpu,
		};
	else if (!thread->task || !thread->is_traced)
		return;
	span_out_finish(&time->out, thread, time->end_ns);
}

int task_time_end(struct task_time *time)
{
	struct thread *thread;

	for (size_t i = 0; (thread = threads_at(time->threads, i)); i++)
		finish_thread(time, thread);
	return time->status;
}

static bool has_throttled(const struct task_time *time)
{
	const struct traced_cpu *cpus = time->cpus.cpus.items;

	for (size_t i = 0; i < time->cpus.cpus.count; i++)
		if (cpus[i].throttled.count)
			return true;
	return false;
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
	traced_cpus_pack(&time->cpus, pack, time->threads, threads_pack_one);
	task_contexts_pack(time->contexts, pack,
			   function_count(time->options.functions),
			   time->task_count);
	untraced_wakeups_pack(time->untraced_wakeups, tasks);
	if (pack->is_reading && has_throttled(time))
		read_cgroups(time);
	time->current.task = NULL;
}
