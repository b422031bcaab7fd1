/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/time/task_time_parts.h"
#include "attribution/time/thread_events.h"
#include "attribution/time/threads.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"

/* exec in a thread that is not the first of its process: the thread continues
 * under the first one's id, @tid, and ends under its own, by which it runs on
 * @cpu.
 */
static void end_by_exec(const struct traced_cpu *cpu, int32_t pid, int32_t tid)
{
	struct thread *current = cpu ? cpu->current : NULL;

	if (current && current->tid > 0 && current->tid != tid &&
	    current->pid == pid)
		current->is_dead = true;
}

/* A thread that had ended and leaves alive is another one, by exec. It may be
 * preempted before exec is recorded.
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

/* Where there are steps, they show when the next thread starts. */
static int take_switch(struct task_time *time, const struct event_record *event)
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

static int take_wakeup(struct task_time *time, const struct event_record *event)
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

void task_time_event(struct task_time *time, const struct event_record *event)
{
	int status = 0;

	time->current.task = NULL;
	/* Events after the end of the trace are outside the recording. */
	if (traced_cpus_are_over(&time->cpus))
		return;
	if (event->event == EVENT_SCHED_SWITCH)
		status = take_switch(time, event);
	else if (event->event == EVENT_SCHED_WAKING ||
		 event->event == EVENT_SCHED_WAKEUP_NEW)
		status = take_wakeup(time, event);
	if (status < 0)
		time->status = status;
}

static int take_life(struct task_time *time,
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
	    take_life(time, record) < 0)
		time->status = -ERROR_MEMORY;
}
