/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_UNTRACED_INTERNAL_H
#define KT_ATTRIBUTION_TIME_UNTRACED_INTERNAL_H

/* The state that the thread tracker has for each CPU, and facts that have no
 * event:
 *
 *	struct traced_cpus	which thread the steps show on each CPU, and
 *				whether the CPU's trace has ended
 *	struct cpu_runs		when the recorder had a CPU, so that the waits of
 *				other threads meanwhile are charged to it, and
 *				when a cgroup was throttled there
 *	struct untraced_wakeups	perf's own wake-ups, found by their functions
 *
 * Each has a function that writes its state to a checkpoint, or reads it. Only
 * the thread that runs the pass calls these functions.
 */

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct function_table;
struct pack;
struct task_pack;
struct thread;
struct threads;

struct cpu_run {
	uint64_t begin_ns;
	uint64_t end_ns; /* UINT64_MAX: it has not ended */
	int32_t tid;	 /* its thread; -1: unknown */
	int32_t pid;
};

/* Number of runs stored: more than there are on a CPU during one wait of a
 * thread there. For a longer wait, only the last ones are known.
 */
enum { CPU_RUNS = 32 };

/* The last intervals of one kind on a CPU. A zeroed struct is empty. */
struct cpu_runs {
	struct cpu_run runs[CPU_RUNS];
	uint32_t count; /* total; older ones are overwritten */
};

/* The state of a CPU according to the steps. */
struct traced_cpu {
	bool has_ended;
	uint8_t state;		/* enum cpu_state */
	struct thread *current; /* NULL before its first step */
	/* The thread on this CPU to which exec gave the id of another thread;
	 * NULL: none. It leaves the CPU when current does, because the steps
	 * still show it as current, under its old id.
	 */
	struct thread *next_owner;
	/* when a thread of the recorder had the CPU, so that others waited */
	struct cpu_runs recorder;
	/* When the scheduler throttled a cgroup on the CPU, because the group
	 * had used up its CPU quota: from tg_throttle_down() in
	 * throttle_cfs_rq() to unthrottle_cfs_rq() (kernel/sched/fair.c). The
	 * trace does not show which group is throttled, but a thread in it is
	 * known: the one that runs then, or that the scheduler adds to its
	 * queue.
	 */
	struct cpu_runs throttled;
	/* the last thread that an event on this CPU woke or created */
	int32_t woken_tid;
	bool is_enqueuing; /* the scheduler is adding that thread to a queue */
	/* the scheduler is checking whether a cgroup has used its quota */
	bool may_throttle;
};

/* The CPUs of a recording by number. One of them (number -1) stands for
 * per-thread traces, which have no CPU. Numbers may be sparse: only CPUs that
 * were seen are stored.
 */
struct traced_cpus {
	/* uint32_t, by number + 1: index in cpus + 1; 0: none */
	struct array places;
	struct array cpus; /* struct traced_cpu, in order of appearance */
	uint32_t ended;	   /* number of CPUs whose trace has ended */
};

#define TRACED_CPUS_NONE \
	((struct traced_cpus){ \
		.places = ARRAY_OF(uint32_t), \
		.cpus = ARRAY_OF(struct traced_cpu), \
	})

void traced_cpus_free(struct traced_cpus *cpus);

/* Removes all CPUs, and keeps the memory. */
void traced_cpus_clear(struct traced_cpus *cpus);

/* Writes or reads *@thread, one of @threads or NULL: threads_pack_one(). */
typedef void pack_one_thread(const struct threads *threads, struct pack *pack,
			     struct thread **thread);

/* Writes all CPUs, or reads them into @cpus, which must be empty. @threads must
 * contain their threads.
 */
void traced_cpus_pack(struct traced_cpus *cpus, struct pack *pack,
		      const struct threads *threads, pack_one_thread *pack_one);

/* Returns the CPU of a step, adding it if it is new; NULL when out of memory.
 */
struct traced_cpu *traced_cpus_add(struct traced_cpus *cpus, uint32_t cpu);

/* Returns the CPU, or NULL if it had no step. */
struct traced_cpu *traced_cpus_find(const struct traced_cpus *cpus,
				    int32_t cpu);

/* Ends the trace of @cpu, one of @cpus. */
void traced_cpus_end(struct traced_cpus *cpus, struct traced_cpu *cpu);

/* Returns whether the traces of all CPUs have ended, and there was at least
 * one.
 */
bool traced_cpus_are_over(const struct traced_cpus *cpus);

/* Returns whether the steps show what runs on @cpu now: its trace has not
 * ended, or traces are per thread.
 */
bool traced_cpus_show(const struct traced_cpus *cpus, int32_t cpu);

/* Starts a run of thread @tid of process @pid. */
void cpu_runs_begin(struct cpu_runs *runs, uint64_t time_ns, int32_t tid,
		    int32_t pid);

/* Ends the last run, if there is any. */
void cpu_runs_end_last(struct cpu_runs *runs, uint64_t time_ns);

/* Ends the oldest run that has not ended. Returns false if all have. */
bool cpu_runs_end_oldest(struct cpu_runs *runs, uint64_t time_ns);

/* Finds the first run, cut to [@from_ns, @until_ns), for which @is_of(ctx, run)
 * returns true; NULL: any. Returns whether there is one, and sets *@run.
 */
bool cpu_runs_find(const struct cpu_runs *runs, uint64_t from_ns,
		   uint64_t until_ns,
		   bool (*is_of)(const void *ctx, const struct cpu_run *run),
		   const void *ctx, struct cpu_run *run);

/* Wake-ups by perf, which only the trace shows. perf_pending_irq() of
 * kernel/events/core.c holds perf's recursion guard, which suppresses perf's
 * events, while it wakes the threads that poll for records, so sched_waking is
 * not recorded. The trace does not show which thread it wakes.
 */
struct untraced_wakeups;

/* Looks up all @functions once. Returns NULL when out of memory. */
struct untraced_wakeups *
untraced_wakeups_new(const struct function_table *functions);
void untraced_wakeups_free(struct untraced_wakeups *wakes);

/* Removes all state from steps. */
void untraced_wakeups_clear(struct untraced_wakeups *wakes);

/* Writes the state, or reads it into @wakes, which must be new. */
void untraced_wakeups_pack(struct untraced_wakeups *wakes,
			   const struct task_pack *tasks);

/* Consumes a STEP_ENTER or STEP_EXIT. Returns 0 or -ERROR_MEMORY. */
int untraced_wakeups_consume(struct untraced_wakeups *wakes,
			     const struct call_step *step);

/* Returns whether calls of @function must be passed to
 * untraced_wakeups_consume().
 */
bool untraced_wakeups_has(const struct untraced_wakeups *wakes,
			  uint32_t function);

/* Returns whether perf is waking a thread, so that function exits must be
 * passed to untraced_wakeups_consume(), too.
 */
bool untraced_wakeups_are_open(const struct untraced_wakeups *wakes);

/* The last wake-up. */
struct untraced_wakeup {
	uint64_t time_ns; /* 0: there was none */
	int32_t tid;	  /* the task that ran the wake-up */
};

struct untraced_wakeup
untraced_wakeups_last(const struct untraced_wakeups *wakes);

/* Returns whether @function removes a thread from the run queue. If the
 * scheduler calls it, that thread goes to sleep.
 */
bool untraced_wakeups_blocks(const struct untraced_wakeups *wakes,
			     uint32_t function);

#endif
