/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_SPAN_H
#define KT_ATTRIBUTION_TIME_SPAN_H

#include <stdbool.h>
#include <stdint.h>

/* The class of a thread's time. Each nanosecond from a thread's first to its
 * last instant is in exactly one class; the innermost context decides.
 */
enum time_class {
	TIME_USER,
	TIME_SYSTEM_CALL, /* on a CPU in a system call */
	TIME_FAULT,	  /* on a CPU in a page fault or exception */
	/* other time on a CPU: kernel threads, signals, the way to user space,
	 * first steps
	 */
	TIME_KERNEL,
	/* in interrupt work of any kind; it is charged later: see
	 * interrupt_accounts.h
	 */
	TIME_INTERRUPT,
	TIME_TRACER, /* in the tracer's own functions */
	/* on a CPU in a virtual machine, whose code is not traced */
	TIME_GUEST,
	TIME_RUNNABLE, /* waiting for a CPU */
	/* like TIME_RUNNABLE, while its cgroup has used up its CPU quota: of
	 * sums, see time_span_class(); spans are TIME_RUNNABLE and is_throttled
	 */
	TIME_THROTTLED,
	TIME_ASLEEP,
	TIME_NOT_ASKED, /* ran outside of the calls chosen with --only */
	TIME_UNKNOWN,	/* not in the trace: see reason */
	TIME_CLASSES,
};

/* Why time is unknown. */
enum unknown_reason {
	UNKNOWN_GAP, /* a gap of the trace on its CPU */
	UNKNOWN_FILTERED,
	UNKNOWN_OFF,	  /* the trace unit was off */
	UNKNOWN_UNTRACED, /* ran, or may have run, on an untraced CPU */
	/* off the CPU; without scheduler events it is unknown whether asleep or
	 * runnable
	 */
	UNKNOWN_NO_EVENTS,
	/* likewise; the events were recorded, but some records were lost */
	UNKNOWN_LOST_EVENTS,
	UNKNOWN_REASONS,
};

struct open_context;
struct task;

/* An interval of one thread's time in one class: [begin_ns, end_ns). The spans
 * of a thread follow each other in order of time without holes. A span ends
 * where the class, the innermost context or the CPU changes.
 */
struct time_span {
	const struct task *task; /* never NULL; not an idle task */
	uint32_t thread;	 /* see task_time_thread() */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint8_t time_class; /* enum time_class */
	uint8_t reason;	    /* TIME_UNKNOWN: enum unknown_reason */
	/* The thread was already in the kernel when it was first seen, and its
	 * outermost context is not known yet: TIME_KERNEL without contexts may
	 * turn out to be part of a system call or fault. The thread's first
	 * span that is not provisional has that as its outermost context.
	 */
	bool is_provisional;
	int32_t cpu; /* where it ran, or last ran */
	/* uncertainty of begin_ns in both directions: see struct call_step */
	uint32_t begin_error_ns;
	/* uncertainty of end_ns, if the thread ends there and no span follows;
	 * else 0
	 */
	uint32_t end_error_ns;
	/* The open contexts of the thread, outermost first; valid during the
	 * call only. For time off the CPU: those open when it left.
	 */
	const struct open_context *contexts;
	uint32_t context_count;
	/* TIME_RUNNABLE after a sleep: the waker; see also sleeps. -1: unknown
	 * or not after a sleep.
	 */
	int32_t waker_tid;
	/* TIME_RUNNABLE: the recorder had the CPU. */
	bool is_behind_recorder;
	/* TIME_RUNNABLE: its cgroup had used up its CPU quota
	 * (throttled_runs.h).
	 */
	bool is_throttled;
};

/* Returns the class that @span counts for: time that the tracer takes from
 * threads is TIME_TRACER in every case.
 */
static inline enum time_class time_span_account(const struct time_span *span)
{
	return span->is_behind_recorder ? TIME_TRACER :
					  (enum time_class)span->time_class;
}

/* Like time_span_account(), with time that a thread was throttled for itself. */
static inline enum time_class time_span_class(const struct time_span *span)
{
	return span->is_throttled ? TIME_THROTTLED : time_span_account(span);
}

/* Cuts @span to [@since_ns, @until_ns).  Returns whether anything is left. */
bool time_span_cut(struct time_span *span, uint64_t since_ns,
		   uint64_t until_ns);

/* Called for each span when it ends. */
struct span_callback {
	void (*take)(struct span_callback *callback,
		     const struct time_span *span);
};

/* Returns the class's name as in reports: "user", "system_call", … */
const char *time_class_name(enum time_class time_class);
const char *unknown_reason_name(enum unknown_reason reason);

#endif
