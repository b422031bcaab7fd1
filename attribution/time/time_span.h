/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_TIME_SPAN_H
#define KT_ATTRIBUTION_TIME_TIME_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known_events;
struct open_context;
struct recording;
struct task;

/* The class of a thread's time. Each nanosecond from a thread's first to its
 * last instant is in exactly one class; the innermost context decides.
 */
enum time_class {
	TIME_USER,
	TIME_SYSTEM_CALL, /* on a CPU in a system call */
	TIME_FAULT,	  /* on a CPU in a page fault or exception */
	/* on a CPU, freeing memory because the thread needs some (direct
	 * reclaim and compaction), in a system call, a fault or elsewhere in
	 * the kernel
	 */
	TIME_RECLAIM,
	/* other time in the kernel: kernel threads, delivery of signals, exit
	 * to user space, and calls before the first known context
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
	/* only in sums (time_span_class()): waiting for a CPU while the cgroup
	 * has used up its quota. A span of such time is TIME_RUNNABLE and
	 * is_throttled.
	 */
	TIME_THROTTLED,
	TIME_ASLEEP,
	TIME_NOT_ASKED, /* ran outside of the calls chosen with --only */
	TIME_UNKNOWN,	/* not in the trace: see reason */
	TIME_CLASSES,
};

/* Why time is unknown. */
enum unknown_reason {
	UNKNOWN_GAP,	  /* a gap of the trace on its CPU */
	UNKNOWN_FILTERED, /* outside the recorded functions (--filter) */
	UNKNOWN_OFF,	  /* the trace unit was off */
	UNKNOWN_UNTRACED, /* ran, or may have run, on an untraced CPU */
	/* off the CPU; what was recorded does not show whether the thread was
	 * asleep or runnable
	 */
	UNKNOWN_NO_EVENTS,
	/* like UNKNOWN_NO_EVENTS, as records of such events were lost */
	UNKNOWN_LOST_EVENTS,
	UNKNOWN_REASONS,
};

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
	 * turn out to be part of a system call or fault. The outermost context
	 * of the thread's next span that is not provisional shows which
	 * (on_cpu_resolved_class()).
	 */
	bool is_provisional;
	int32_t cpu; /* CPU on which it ran, or last ran */
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
	/* tid of the thread that woke it, for TIME_RUNNABLE after a sleep; -1:
	 * unknown, or not after a sleep
	 */
	int32_t waker_tid;
	/* TIME_RUNNABLE: the recorder had the CPU. */
	bool is_behind_recorder;
	/* TIME_RUNNABLE: its cgroup had used up its CPU quota
	 * (untraced_internal.h).
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

/* Like time_span_account(), but TIME_THROTTLED is a class of its own. */
static inline enum time_class time_span_class(const struct time_span *span)
{
	return span->is_throttled ? TIME_THROTTLED : time_span_account(span);
}

/* Cuts @span to [@since_ns, @until_ns). Returns whether anything is left. */
bool time_span_cut(struct time_span *span, uint64_t since_ns,
		   uint64_t until_ns);

/* Called for each span when it ends. */
struct span_callback {
	void (*consume)(struct span_callback *callback,
			const struct time_span *span);
};

/* Returns the class's name as in reports: "user", "system_call", … */
const char *time_class_name(enum time_class time_class);
const char *unknown_reason_name(enum unknown_reason reason);

/* Returns the class of a thread's time on a CPU while it has the @count
 * contexts at @contexts open, outermost first; without contexts @in_user
 * decides.
 *
 * The innermost context decides, with three exceptions: time in the scheduler
 * has the class of the context that called it, or TIME_KERNEL if that is an
 * interrupt or none; soft interrupts in the kernel thread that exists for them
 * are its own work; faults of the tracer are the tracer's.
 */
enum time_class on_cpu_class(const struct open_context *contexts, size_t count,
			     bool in_user);

/* Returns the class of @span, but for TIME_RECLAIM the class of the context in
 * which memory was needed.
 */
enum time_class time_span_cause(const struct time_span *span);

/* Returns the class of a thread's provisional time (see struct time_span),
 * given @span, its first later span on a CPU that is not provisional.
 */
enum time_class on_cpu_resolved_class(const struct time_span *span);

/* Returns the reason why time in a CPU's state (enum cpu_state) is unknown.
 * Defined for CPU_UNSEEN, CPU_FILTERED, CPU_OFF and CPU_GAP only.
 */
enum unknown_reason on_cpu_reason(uint8_t cpu_state);

/* How a thread left the CPU. */
enum off_how {
	OFF_UNSEEN,   /* it was off the CPU when the recording started */
	OFF_LEFT,     /* it left, for an unknown reason */
	OFF_RUNNABLE, /* it left while runnable */
	OFF_ASLEEP,   /* it left to wait for something */
	OFF_NEW,      /* it was created and has not run yet */
};

/* An interval of a thread's time off the CPU, with all evidence about it. */
struct off_cpu {
	uint64_t begin_ns;
	uint64_t end_ns;	 /* valid if has_ended is set */
	uint64_t wake_ns;	 /* 0: no wake-up was recorded */
	uint32_t begin_error_ns; /* see struct time_span */
	int32_t waker_tid;
	bool is_wake_inferred; /* wake_ns is inferred: see untraced_internal.h */
	/* the trace shows that the scheduler put it to sleep */
	bool has_blocked;
	int32_t cpu;	/* CPU that it left */
	uint8_t how;	/* enum off_how */
	bool has_ended; /* it is on a CPU again */
};

/* The evidence about time off the CPU that a recording contains. */
struct off_cpu_evidence {
	bool has_switches; /* sched_switch: the reason for leaving */
	bool has_wakeups;  /* sched_waking, by any waker */
	bool has_all_cpus; /* a thread cannot run untraced on another CPU */
	bool has_losses;   /* some records are missing */
};

struct off_cpu_evidence off_cpu_evidence_of(const struct recording *recording,
					    const struct known_events *events);

/* Returns whether the evidence can show that a thread waits for a CPU. */
bool off_cpu_is_known(const struct off_cpu_evidence *evidence);

enum { OFF_CPU_PARTS = 2 };

/* Splits @off, which ends at off->end_ns, into @parts without holes, and sets
 * their times, class, reason and waker. If the thread never ran again, the
 * caller sets off->end_ns to the end of the recording.
 *
 * Returns the number of parts: up to OFF_CPU_PARTS, 0 if @off is empty.
 */
int off_cpu_split(const struct off_cpu *off,
		  const struct off_cpu_evidence *evidence,
		  struct time_span parts[OFF_CPU_PARTS]);

/* Returns the meaning of sched_switch's prev_state. */
enum off_how off_how_of(int64_t prev_state);

/* Returns whether @prev_state is that of a thread that has ended. */
bool off_is_dead(int64_t prev_state);

#endif
