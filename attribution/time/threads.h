/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_THREADS_H
#define KT_ATTRIBUTION_THREADS_H

#include "attribution/time/off_cpu.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack;
struct task_pack;

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
	const struct task *task; /* of the steps; NULL: none yet */
	uint32_t index;		 /* see threads_at() */
	int32_t tid;
	int32_t pid;
	uint8_t phase;	  /* enum thread_phase */
	bool is_traced;	  /* it was seen running */
	bool is_recorder; /* its time is charged to the tracer */
	bool is_dead;	  /* it ends when it leaves the CPU */
	bool polls_perf;  /* perf woke it: see thread_wakes_unseen() */

	/* Its time was emitted up to here; 0: nothing was. */
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
	bool is_bottom_unseen; /* see thread_events.h */
	uint32_t frames;       /* number of open functions */
	uint32_t user_frames;  /* of these, the outermost ones in user space */
};

/* The threads of a recording, by id and by their task in the steps. */
struct threads;

/* Returns NULL when out of memory. */
struct threads *threads_new(void);
void threads_free(struct threads *threads);

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

#endif
