/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_TIME_PARTS_H
#define KT_ATTRIBUTION_TASK_TIME_PARTS_H

#include "attribution/time/span_out.h"
#include "attribution/time/task_time.h"
#include "attribution/time/traced_cpus.h"

#include <stdbool.h>
#include <stdint.h>

struct function_marks;
struct task_cgroups;
struct untraced_wakeups;
struct task_contexts;
struct thread;
struct threads;

/* The thread of the newest step. Calls deeper than floor change only the count
 * of its frames, unless their function is marked.
 */
struct current_thread {
	const struct task *task; /* NULL: the next step may change anything */
	uint32_t cpu;
	uint32_t floor;
	struct thread *thread;
};

/* The internals of task_time, shared by its files: task_time.c receives steps
 * and ends all threads, task_time_steps.c applies the changes that a step
 * makes, task_time_events.c applies the kernel's events about threads.
 */
struct task_time {
	struct task_time_options options;
	struct span_out out;
	struct task_contexts *contexts;
	struct untraced_wakeups *untraced_wakeups;
	struct threads *threads;
	struct traced_cpus cpus;
	struct current_thread current;
	/* functions that change a thread's state */
	struct function_marks *marks;
	/* functions that throttle cgroups: enum throttle_mark */
	struct function_marks *throttles;
	struct task_cgroups *cgroups; /* NULL: not needed, or unknown */
	bool has_cgroups;	      /* they were read, if there are any */
	int context_change;	      /* made by the newest step */
	uint64_t end_ns;	      /* of the newest step */
	uint32_t task_count;	      /* number of tasks in the steps */
	size_t due;		      /* thread index: see task_time_is_due() */
	bool is_of_threads;	      /* untraced tasks ran */
	int status;
};

/* kernel/sched/fair.c: the functions that throttle a cgroup on a CPU.
 * throttle_cfs_rq() first tries to get more of the quota, and calls
 * tg_throttle_down(), for each cgroup below it, only if there is none.
 */
enum throttle_mark {
	THROTTLE_NONE,
	THROTTLE_TRIES,	   /* throttle_cfs_rq() */
	THROTTLE_BEGINS,   /* tg_throttle_down() */
	THROTTLE_ENDS,	   /* unthrottle_cfs_rq() */
	THROTTLE_ENQUEUES, /* enqueue_task_fair() */
};

/* Applies @step, of @thread on @cpu. */
void task_time_apply(struct task_time *time, struct thread *thread,
		     struct traced_cpu *cpu, const struct call_step *step);

/* Reads the cgroups of the recording's tasks, once: when a group is throttled. */
void task_time_read_cgroups(struct task_time *time);

#endif
