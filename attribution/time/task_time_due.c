/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_time_parts.h"
#include "attribution/time/threads.h"
#include "attribution/time/untraced_wakeups.h"

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
 * the trace does not show whether the scheduler put it to sleep.
 */
static bool sleeps(const struct task_time *time, const struct off_cpu *off)
{
	return off->has_blocked ||
	       (off->how == OFF_ASLEEP && off->begin_ns < time->out.start_ns);
}

static bool is_any(const void *ctx, const struct throttled_run *run)
{
	(void)ctx;
	(void)run;
	return true;
}

/* Returns whether the recorder had the CPU, or a cgroup was throttled on it,
 * while the thread may have waited for it: such a wait is emitted in several
 * spans.
 */
static bool may_be_cut(const struct task_time *time, const struct off_cpu *off,
		       uint64_t until_ns)
{
	const struct traced_cpu *cpu = traced_cpus_find(&time->cpus, off->cpu);
	struct throttled_run throttled;
	struct recorder_run run;

	return !sleeps(time, off) && cpu &&
	       (recorder_runs_find(&cpu->recorder, off->begin_ns, until_ns,
				   &run) ||
		throttled_runs_find(&cpu->throttled, off->begin_ns, until_ns,
				    is_any, NULL, &throttled));
}

static bool is_due(const struct task_time *time, const struct thread *thread,
		   uint64_t until_ns)
{
	const struct off_cpu_evidence *evidence = &time->out.evidence;
	const struct off_cpu *off = &thread->off;

	if (!thread->has_off || thread->tid <= 0 || off->begin_ns >= until_ns)
		return false;
	/* Its earlier time, if not traced, is a span of its own. */
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
