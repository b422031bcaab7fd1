/* SPDX-License-Identifier: MIT */
#include "attribution/time/time_span.h"

#include "attribution/events/known_events.h"
#include "attribution/time/task_contexts.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"

#include <stddef.h>

const char *time_class_name(enum time_class time_class)
{
	static const char *const names[TIME_CLASSES] = {
		[TIME_USER] = "user",
		[TIME_SYSTEM_CALL] = "system_call",
		[TIME_FAULT] = "fault",
		[TIME_RECLAIM] = "reclaim",
		[TIME_KERNEL] = "kernel",
		[TIME_INTERRUPT] = "interrupt",
		[TIME_TRACER] = "tracer",
		[TIME_GUEST] = "guest",
		[TIME_RUNNABLE] = "runnable",
		[TIME_THROTTLED] = "throttled",
		[TIME_ASLEEP] = "asleep",
		[TIME_NOT_ASKED] = "not_asked",
		[TIME_UNKNOWN] = "unknown",
	};

	return names[time_class];
}

const char *unknown_reason_name(enum unknown_reason reason)
{
	static const char *const names[UNKNOWN_REASONS] = {
		[UNKNOWN_GAP] = "gap",
		[UNKNOWN_FILTERED] = "filtered",
		[UNKNOWN_OFF] = "off",
		[UNKNOWN_UNTRACED] = "untraced",
		[UNKNOWN_NO_EVENTS] = "no_events",
		[UNKNOWN_LOST_EVENTS] = "lost_events",
	};

	return names[reason];
}

bool time_span_cut(struct time_span *span, uint64_t since_ns, uint64_t until_ns)
{
	if (span->begin_ns < since_ns)
		span->begin_ns = since_ns;
	if (span->end_ns > until_ns) {
		span->end_ns = until_ns;
		span->end_error_ns = 0;
	}
	return span->begin_ns < span->end_ns;
}

static const uint8_t classes[CONTEXT_KINDS] = {
	[CONTEXT_NONE] = TIME_KERNEL,
	[CONTEXT_SYSTEM_CALL] = TIME_SYSTEM_CALL,
	[CONTEXT_FAULT] = TIME_FAULT,
	[CONTEXT_EXCEPTION] = TIME_FAULT,
	[CONTEXT_INTERRUPT] = TIME_INTERRUPT,
	[CONTEXT_NMI] = TIME_INTERRUPT,
	[CONTEXT_SOFTIRQ] = TIME_INTERRUPT,
	[CONTEXT_ITEM] = TIME_KERNEL,
	[CONTEXT_EXIT] = TIME_KERNEL,
	[CONTEXT_SCHEDULE] = TIME_KERNEL,
	[CONTEXT_THREAD] = TIME_KERNEL,
	[CONTEXT_RECLAIM] = TIME_RECLAIM,
	[CONTEXT_TRACER] = TIME_TRACER,
};

static enum time_class class_below(const struct open_context *contexts,
				   size_t count)
{
	enum time_class below =
		count > 1 ? (enum time_class)classes[contexts[count - 2].kind] :
			    TIME_KERNEL;

	return below == TIME_INTERRUPT ? TIME_KERNEL : below;
}

enum time_class on_cpu_class(const struct open_context *contexts, size_t count,
			     bool in_user)
{
	uint8_t kind;

	if (!count)
		return in_user ? TIME_USER : TIME_KERNEL;
	kind = contexts[count - 1].kind;
	if (kind == CONTEXT_SCHEDULE)
		return class_below(contexts, count);
	if (kind == CONTEXT_SOFTIRQ && count > 1 &&
	    contexts[count - 2].kind == CONTEXT_THREAD)
		return TIME_KERNEL;
	if (classes[kind] == TIME_FAULT && count > 1 &&
	    contexts[count - 2].kind == CONTEXT_TRACER)
		return TIME_TRACER;
	return (enum time_class)classes[kind];
}

enum time_class time_span_cause(const struct time_span *span)
{
	if (span->time_class != TIME_RECLAIM || !span->context_count)
		return (enum time_class)span->time_class;
	return on_cpu_class(span->contexts, span->context_count - 1, false);
}

enum time_class on_cpu_resolved_class(const struct time_span *span)
{
	const struct open_context found[] = {
		span->context_count ? *span->contexts :
				      (struct open_context){ 0 },
		{ .kind = CONTEXT_SCHEDULE },
	};

	if (!(found->unseen & UNSEEN_BEGIN))
		return TIME_KERNEL;
	return on_cpu_class(found, 2, false);
}

enum unknown_reason on_cpu_reason(uint8_t cpu_state)
{
	static const uint8_t reasons[CPU_STATES] = {
		[CPU_UNSEEN] = UNKNOWN_UNTRACED,
		[CPU_FILTERED] = UNKNOWN_FILTERED,
		[CPU_OFF] = UNKNOWN_OFF,
		[CPU_GAP] = UNKNOWN_GAP,
	};

	return (enum unknown_reason)reasons[cpu_state];
}

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

/* Returns whether all CPUs are traced. A trace of threads follows them to any
 * CPU.
 */
static bool covers_all_cpus(const struct recording *recording)
{
	size_t count = recording_stream_count(recording);

	for (size_t i = 0; i < count; i++)
		if (recording_stream(recording, i)->cpu < 0)
			return true;
	return recording_traced_cpus(recording) >=
	       recording_info(recording)->cpus_online;
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

/* Returns the span of @off, whose wake-up was not recorded. If wake-ups were
 * recorded and none was lost, the thread either still sleeps or never slept: if
 * a signal is pending, try_to_block_task() of kernel/sched/core.c lets it run
 * on, though prev_state shows a sleep. All other time is unknown.
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

/* Returns whether the wake-up is known to be the last one. One that only the
 * steps show is the last only if no records were lost.
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
