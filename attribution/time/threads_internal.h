/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_THREADS_INTERNAL_H
#define KT_ATTRIBUTION_TIME_THREADS_INTERNAL_H

#include "attribution/time/time_span.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context_kinds;
struct pack;
struct task_cgroups;
struct task_contexts;
struct task_pack;
struct traced_cpus;

enum thread_phase {
	THREAD_UNKNOWN, /* state unknown: no time is counted */
	THREAD_OFF,	/* off the CPU */
	THREAD_ON,	/* on a traced CPU */
	THREAD_AWAY,	/* on an untraced CPU */
	THREAD_ENDED,	/* has ended within the trace */
};

/* The current state of a thread. */
struct thread {
	struct task own;	 /* used if the steps have no task for it */
	const struct task *task; /* its task in call events; NULL: none yet */
	uint32_t index;		 /* see threads_at() */
	int32_t tid;
	int32_t pid;
	uint8_t phase;	  /* enum thread_phase */
	bool is_traced;	  /* it was seen running */
	bool is_recorder; /* its time is charged to the tracer */
	bool is_dead;	  /* it ends when it leaves the CPU */
	bool polls_perf;  /* perf woke it: see thread_wakes_unseen() */

	/* The thread's time was emitted up to last_ns; 0: none was emitted. */
	uint64_t last_ns;

	/* Off the CPU now, or just back. It is emitted with the next span,
	 * since events with other CPUs' clocks may still arrive.
	 */
	struct off_cpu off;
	bool has_off;
	/* The announced reason of its next departure: an enum off_how. */
	uint8_t next_how;
	bool has_blocked; /* as in struct off_cpu */
	/* When the thread was woken while it was still running. */
	uint64_t pending_wakeup_ns;
	int32_t pending_waker_tid;

	/* On the CPU since begin_ns. */
	uint64_t begin_ns;
	uint32_t begin_error_ns; /* see struct time_span */
	int32_t cpu;
	uint8_t time_class;
	uint8_t reason;
	bool is_unseen;	       /* its CPU's trace has not started */
	bool is_provisional;   /* see time_span.h */
	bool is_bottom_unseen; /* see thread_frames_consume() */
	uint32_t frames;       /* number of open functions */
	/* the first user_frames of frames are functions of user space */
	uint32_t user_frames;
};

/* The threads of a recording, by id and by their task in the steps. */
struct threads;

/* Returns a table without threads; NULL when out of memory. */
struct threads *threads_new(void);
void threads_free(struct threads *threads);

/* Removes all threads, and keeps the memory of the table. */
void threads_clear(struct threads *threads);

/* Returns the thread of @task, adding it if it is new; NULL when out of memory.
 * Different idle or unknown tasks are different threads.
 */
struct thread *threads_of_task(struct threads *threads,
			       const struct task *task);

/* Returns thread @tid (positive), adding it if it is new; NULL when out of
 * memory.
 */
struct thread *threads_of_tid(struct threads *threads, int32_t tid);

/* Returns thread @tid, or NULL. */
struct thread *threads_find(const struct threads *threads, int32_t tid);

/* Returns thread @index, in order of appearance; NULL after the last. */
struct thread *threads_at(const struct threads *threads, size_t index);

/* Writes all @threads, or reads them into @threads, which must be empty.
 * Inconsistent data makes the pack fail.
 */
void threads_pack(struct threads *threads, const struct task_pack *tasks);

/* Writes or reads *@thread, one of @threads or NULL. */
void threads_pack_one(const struct threads *threads, struct pack *pack,
		      struct thread **thread);

/* The functions below apply the scheduler's events and call events about a
 * thread, in order of arrival. A scheduler's event arrives shortly before or
 * after the call event that shows the same change.
 */

/* Applies a wake-up of @thread by @waker_tid. */
void thread_wakes(struct thread *thread, uint64_t time_ns, int32_t waker_tid);

/* Must be called when @thread, which had slept, runs again. If no wake-up was
 * recorded, infers that @waker_tid woke it at @time_ns without an event.
 */
void thread_wakes_unseen(struct thread *thread, uint64_t time_ns,
			 int32_t waker_tid);

/* Applies the creation of @thread, or that its creator made it runnable: from the
 * last of these on it waits for its first CPU.
 */
void thread_begins(struct thread *thread, uint64_t time_ns);

/* Applies a switch event: @thread is about to leave @cpu in @prev_state (of
 * sched_switch), or has just left it. @is_traced: call events show when.
 *
 * Returns whether the thread with this id had ended. This happens after exec()
 * in a thread that is not the first of its process: it takes over the id of the
 * first thread, and this is its first event with that id.
 */
bool thread_announces(struct thread *thread, uint64_t time_ns, int32_t cpu,
		      int64_t prev_state, bool is_traced);

/* Applies that @thread moves to @cpu, which has no steps. */
void thread_goes_away(struct thread *thread, uint64_t time_ns, int32_t cpu);

/* Applies that @thread leaves its CPU, according to the steps. @schedule_ns is
 * when the scheduler was entered, 0 if unknown.
 */
void thread_leaves(struct thread *thread, uint64_t time_ns,
		   uint64_t schedule_ns);

/* Moves the start of @thread's time off the CPU to @time_ns, if that is later.
 * For a thread that took over the id by exec() (see thread_announces()): call
 * events, which still have its old id, show when it left.
 */
void thread_inherits(struct thread *thread, uint64_t time_ns);

/* Applies that @thread arrives on @cpu, according to the steps. */
void thread_comes(struct thread *thread, uint64_t time_ns, int32_t cpu);

/* Tracks facts from a thread's open functions other than its contexts: whether
 * it is in user space, and whether the bottom of its stack was seen.
 *
 * Consumes a STEP_ENTER or STEP_EXIT. Returns whether one of these facts
 * changed.
 */
bool thread_frames_consume(struct thread *thread,
			   const struct context_kinds *kinds,
			   const struct call_step *step);

/* Returns whether the innermost open function is in user space. */
bool thread_frames_in_user(const struct thread *thread);

/* Emits the time of threads to a callback, without holes. */
struct span_out {
	struct span_callback *callback;
	const struct task_contexts *contexts;
	const struct traced_cpus *cpus;
	struct off_cpu_evidence evidence;
	/* the tasks' cgroups, to find the threads of a throttled one; NULL:
	 * unknown
	 */
	const struct task_cgroups *cgroups;
	uint64_t start_ns; /* start of the trace; 0: not reached */
};

/* Emits @thread's time on its CPU up to @now_ns, and starts the next span
 * there. Before that, emits earlier time that was not emitted yet. If the
 * thread ends, @end_error_ns is the uncertainty of its end.
 */
void span_out_cut(const struct span_out *out, struct thread *thread,
		  uint64_t now_ns, uint32_t end_error_ns);

/* Emits the time that @thread was off the CPU, if it has ended and was not
 * emitted yet.
 */
void span_out_flush(const struct span_out *out, struct thread *thread);

/* Emits the time of @thread from its last span to @end_ns, the end of the
 * trace, if the thread is off the CPU or runs on an untraced one.
 */
void span_out_finish(const struct span_out *out, struct thread *thread,
		     uint64_t end_ns);

#endif
