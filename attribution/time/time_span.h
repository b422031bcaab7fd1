/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_SPAN_H
#define KT_ATTRIBUTION_TIME_SPAN_H

#include <stdbool.h>
#include <stdint.h>

/* A thread's time goes to one of these classes.  Each nanosecond from a
 * thread's first to its last instant is in exactly one class; the innermost
 * work decides.
 */
enum time_class {
	TIME_USER,
	TIME_SYSTEM_CALL, /* on a CPU in a system call */
	TIME_FAULT,	  /* on a CPU in a page fault or exception */
	TIME_KERNEL,	  /* other work on a CPU: kernel threads, signals,
				 * the way to user space, first steps */
	TIME_INTERRUPT,	  /* in interrupt work of any kind; who benefits
				 * is known later: see interrupt_accounts.h */
	TIME_TRACER,	  /* in the tracer's own functions */
	TIME_GUEST,	  /* on a CPU in a virtual machine, whose code is not
				 * followed */
	TIME_RUNNABLE,	  /* waits for a CPU */
	TIME_ASLEEP,
	TIME_NOT_ASKED, /* ran outside of the calls that --only chose */
	TIME_UNKNOWN,	/* not in the trace: see reason */
	TIME_CLASSES,
};

/* Why time is unknown. */
enum unknown_reason {
	UNKNOWN_GAP, /* a gap of the trace on its CPU */
	UNKNOWN_FILTERED,
	UNKNOWN_OFF,	     /* the trace unit was off */
	UNKNOWN_UNTRACED,    /* ran, or may have, where nothing was traced */
	UNKNOWN_NO_EVENTS,   /* off the CPU, and no scheduler events tell
				 * whether asleep or runnable */
	UNKNOWN_LOST_EVENTS, /* the same; they were recorded, but some
				 * records were lost */
	UNKNOWN_REASONS,
};

struct open_context;
struct task;

/* A stretch of one thread's time in one class: [begin_ns, end_ns).  The spans
 * of a thread follow each other without holes, in order of time; a span ends
 * where the class, the innermost work or the CPU changes.
 */
struct time_span {
	const struct task *task; /* never NULL; not an idle task */
	uint32_t thread;	 /* see task_time_thread() */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint8_t time_class; /* enum time_class */
	uint8_t reason;	    /* TIME_UNKNOWN: enum unknown_reason */
	/* The thread was already in the kernel when it was first seen, and
	 * what it did there has not come to light yet: TIME_KERNEL without
	 * work may turn out to have been a system call's or a fault's.  The
	 * thread's first span that is not so has that as its outermost work.
	 */
	bool is_provisional;
	int32_t cpu;		 /* where it ran, or last ran */
	uint32_t begin_error_ns; /* it may have begun so much earlier or
					 * later: see struct call_step */
	uint32_t end_error_ns;	 /* the same of its end, where the thread ends
				  * with it: no span begins there; else 0 */
	/* The work that the thread was in, outermost first; valid during the
	 * call only.  For time off the CPU: what it left off.
	 */
	const struct open_context *contexts;
	uint32_t context_count;
	/* TIME_RUNNABLE after a sleep: who woke it; see also sleeps.  -1:
	 * unknown or not after a sleep.
	 */
	int32_t waker_tid;
	/* TIME_RUNNABLE: the recorder had the CPU. */
	bool is_behind_recorder;
};

/* Returns the class that @span is added to: what the tracer takes from threads
 * is TIME_TRACER, wherever it does.
 */
static inline enum time_class time_span_account(const struct time_span *span)
{
	return span->is_behind_recorder ? TIME_TRACER :
					  (enum time_class)span->time_class;
}

/* Cuts @span to [@since_ns, @until_ns).  Returns whether anything is left. */
bool time_span_cut(struct time_span *span, uint64_t since_ns,
		   uint64_t until_ns);

/* Takes spans, as each ends. */
struct span_callback {
	void (*take)(struct span_callback *callback,
		     const struct time_span *span);
};

/* Returns the class's name as in reports: "user", "system_call", … */
const char *time_class_name(enum time_class time_class);
const char *unknown_reason_name(enum unknown_reason reason);

#endif
