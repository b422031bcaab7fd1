/* SPDX-License-Identifier: MIT */
#include "attribution/time/off_cpu.h"

#include "attribution/events/known_events.h"
#include "decoder/recording/recording.h"

#include <stddef.h>

/* include/trace/events/sched.h: EXIT_DEAD and EXIT_ZOMBIE of
 * include/linux/sched.h, and TASK_REPORT_MAX for a preempted task.
 */
enum { STATE_DEAD = 0x10, STATE_ZOMBIE = 0x20, STATE_PREEMPTED = 0x100 };

enum off_how off_how_of(int64_t prev_state)
{
	return !prev_state || (prev_state & STATE_PREEMPTED) ? OFF_RUNNABLE :
							       OFF_ASLEEP;
}

bool off_is_dead(int64_t prev_state)
{
	return prev_state & (STATE_DEAD | STATE_ZOMBIE);
}

/* A trace of threads follows them to any CPU. */
static bool covers_all_cpus(const struct recording *recording)
{
	size_t count = recording_stream_count(recording);

	for (size_t i = 0; i < count; i++)
		if (recording_stream(recording, i)->cpu < 0)
			return true;
	return count >= recording_info(recording)->cpus_online;
}

struct off_cpu_evidence off_cpu_evidence_of(const struct recording *recording,
					    const struct known_events *events)
{
	return (struct off_cpu_evidence){
		.has_switches = known_events_has(events, EVENT_SCHED_SWITCH),
		.has_wakeups = known_events_has(events, EVENT_SCHED_WAKING),
		.has_all_cpus = covers_all_cpus(recording),
		.has_losses = recording_counts(recording)->lost_records > 0,
	};
}

bool off_cpu_is_known(const struct off_cpu_evidence *evidence)
{
	return evidence->has_switches || evidence->has_wakeups;
}

static struct time_span whole(const struct off_cpu *off,
			      enum time_class time_class,
			      enum unknown_reason reason)
{
	return (struct time_span){
		.begin_ns = off->begin_ns,
		.end_ns = off->end_ns,
		.time_class = (uint8_t)time_class,
		.reason = (uint8_t)reason,
		.waker_tid = -1,
	};
}

static int split_at_wakeup(const struct off_cpu *off, struct time_span *parts)
{
	uint64_t wake_ns = off->wake_ns;
	int count = 0;

	if (wake_ns < off->begin_ns)
		wake_ns = off->begin_ns;
	if (wake_ns > off->end_ns)
		wake_ns = off->end_ns;
	parts[0] = whole(off, TIME_ASLEEP, 0);
	parts[0].end_ns = wake_ns;
	if (wake_ns > off->begin_ns)
		count++;
	parts[count] = whole(off, TIME_RUNNABLE, 0);
	parts[count].begin_ns = wake_ns;
	parts[count].waker_tid = off->waker_tid;
	return wake_ns < off->end_ns ? count + 1 : count;
}

/* No wake-up was recorded. If all would have been, there was none: the thread
 * never slept (a signal was pending, see try_to_block_task() of
 * kernel/sched/core.c, where prev_state is misleading), or still sleeps. A
 * thread that slept and runs again was woken, at the latest just before.
 */
static struct time_span unwoken(const struct off_cpu *off,
				const struct off_cpu_evidence *evidence)
{
	if (!evidence->has_wakeups)
		return whole(off, TIME_UNKNOWN, UNKNOWN_NO_EVENTS);
	if (evidence->has_losses)
		return whole(off, TIME_UNKNOWN, UNKNOWN_LOST_EVENTS);
	if (off->has_ended)
		return whole(off,
			     off->has_blocked ? TIME_ASLEEP : TIME_RUNNABLE, 0);
	if (off->how == OFF_ASLEEP)
		return whole(off, TIME_ASLEEP, 0);
	return whole(off, TIME_UNKNOWN, UNKNOWN_NO_EVENTS);
}

/* A wake-up that only the steps show is the last one only if no records were
 * lost: a lost record may have been a later one.
 */
static bool is_trusted(const struct off_cpu *off,
		       const struct off_cpu_evidence *evidence)
{
	return !off->is_wake_inferred ||
	       (evidence->has_wakeups && !evidence->has_losses);
}

int off_cpu_split(const struct off_cpu *off,
		  const struct off_cpu_evidence *evidence,
		  struct time_span parts[OFF_CPU_PARTS])
{
	if (off->end_ns <= off->begin_ns)
		return 0;
	if (!evidence->has_all_cpus)
		*parts = whole(off, TIME_UNKNOWN, UNKNOWN_UNTRACED);
	else if (!off_cpu_is_known(evidence))
		*parts = whole(off, TIME_UNKNOWN, UNKNOWN_NO_EVENTS);
	else if (off->how == OFF_NEW || off->how == OFF_RUNNABLE)
		*parts = whole(off, TIME_RUNNABLE, 0);
	else if (off->wake_ns && is_trusted(off, evidence))
		return split_at_wakeup(off, parts);
	else
		*parts = unwoken(off, evidence);
	return 1;
}
