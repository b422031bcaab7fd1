/* SPDX-License-Identifier: MIT */
#include "attribution/time/sched_events.h"

#include "attribution/events/known_events.h"
#include "attribution/time/span_out.h"
#include "attribution/time/thread_events.h"
#include "attribution/time/threads.h"
#include "attribution/time/traced_cpus.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"

/* exec in another thread than its process's first: it goes on under that one's
 * id, @tid, and under its own, by which it runs on @cpu, it is gone.
 */
static void end_by_exec(const struct traced_cpu *cpu, int32_t pid, int32_t tid)
{
	struct thread *current = cpu ? cpu->current : NULL;

	if (current && current->tid > 0 && current->tid != tid &&
	    current->pid == pid)
		current->is_dead = true;
}

/* A thread that had ended and leaves alive is another one, by exec.  It may be
 * preempted before there is a record of that.
 */
static int announce(const struct sched_events *events,
		    const struct event_record *event, int32_t tid,
		    bool is_traced)
{
	struct traced_cpu *cpu = traced_cpus_find(events->cpus, event->cpu);
	struct thread *thread = threads_of_tid(events->threads, tid);

	if (!thread)
		return -ERROR_MEMORY;
	if (thread->phase == THREAD_AWAY && thread->is_traced)
		span_out_flush(events->out, thread);
	if (thread_announces(thread, event->time_ns, event->cpu,
			     event->values[SWITCH_PREV_STATE], is_traced) &&
	    cpu) {
		cpu->next_owner = thread;
		end_by_exec(cpu, event->pid, tid);
	}
	return 0;
}

static int send_away(const struct sched_events *events,
		     const struct event_record *event, int32_t tid)
{
	struct thread *thread = threads_of_tid(events->threads, tid);

	if (!thread)
		return -ERROR_MEMORY;
	thread_goes_away(thread, event->time_ns, event->cpu);
	return 0;
}

/* Where there are steps, they say when the next one comes. */
static int take_switch(const struct sched_events *events,
		       const struct event_record *event)
{
	int32_t prev = (int32_t)event->values[SWITCH_PREV];
	int32_t next = (int32_t)event->values[SWITCH_NEXT];
	bool is_traced = traced_cpus_show(events->cpus, event->cpu);
	int status = 0;

	if (prev > 0)
		status = announce(events, event, prev, is_traced);
	if (!status && next > 0 && !is_traced)
		status = send_away(events, event, next);
	return status;
}

static int take_wakeup(const struct sched_events *events,
		       const struct event_record *event)
{
	int32_t tid = (int32_t)event->values[WAKING_TID];
	struct thread *thread;

	if (tid <= 0)
		return 0;
	thread = threads_of_tid(events->threads, tid);
	if (!thread)
		return -ERROR_MEMORY;
	if (event->event == EVENT_SCHED_WAKING)
		thread_wakes(thread, event->time_ns, event->tid);
	else
		thread_begins(thread, event->time_ns);
	return 0;
}

int sched_events_take(const struct sched_events *events,
		      const struct event_record *event)
{
	if (event->event == EVENT_SCHED_SWITCH)
		return take_switch(events, event);
	if (event->event == EVENT_SCHED_WAKING ||
	    event->event == EVENT_SCHED_WAKEUP_NEW)
		return take_wakeup(events, event);
	return 0;
}

static int take_life(const struct sched_events *events,
		     const struct sideband_record *record)
{
	struct thread *thread = threads_of_tid(events->threads, record->tid);

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

int sched_events_record(const struct sched_events *events,
			const struct sideband_record *record)
{
	/* Those without a time tell of before the recording. */
	if (!record->time_ns || record->tid <= 0)
		return 0;
	if (record->kind == SIDEBAND_COMM && record->comm.exec)
		end_by_exec(traced_cpus_find(events->cpus, record->cpu),
			    record->pid, record->tid);
	if (record->kind == SIDEBAND_FORK || record->kind == SIDEBAND_EXIT)
		return take_life(events, record);
	return 0;
}
