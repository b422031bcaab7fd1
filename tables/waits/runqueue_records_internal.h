/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_RUNQUEUE_RECORDS_INTERNAL_H
#define KT_TABLES_WAITS_RUNQUEUE_RECORDS_INTERNAL_H

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct allowed_cpus;
struct cache_file_writer;
struct pack;

/* One thread on a CPU: [begin_ns, end_ns). */
struct cpu_run {
	uint64_t begin_ns;
	uint64_t end_ns;
	int32_t tid; /* 0: the idle task, -1: unknown */
};

/* Called with each run when it has ended. */
typedef void consume_cpu_run(void *ctx, uint32_t cpu,
			     const struct cpu_run *run);

/* The runs of threads, by CPU. A pass keeps at least the last 65,536 of each
 * CPU; from cached records, all are kept.
 */
struct cpu_runs {
	struct array cpus;	/* struct cpu_run_list by CPU */
	consume_cpu_run *ended; /* or NULL */
	void *ctx;
};

struct cpu_run_list {
	struct array runs;  /* struct cpu_run, in order of time */
	struct cpu_run now; /* current run, without an end yet */
	bool has_now;
};

#define CPU_RUNS_NONE \
	((struct cpu_runs){ .cpus = ARRAY_OF(struct cpu_run_list) })

void cpu_runs_free(struct cpu_runs *runs);

/* Applies a call event. Returns 0 or -ERROR_MEMORY. */
int cpu_runs_consume(struct cpu_runs *runs, const struct call_step *step);

/* Called with a thread that ran and its time. */
typedef int cpu_runs_visit(void *ctx, int32_t tid, uint64_t ns);

/* Visits the threads that ran on @cpu from @begin_ns to @end_ns, newest first,
 * also the idle task (0). Returns 0, or the first nonzero value that @visit
 * returned.
 */
int cpu_runs_between(const struct cpu_runs *runs, int32_t cpu,
		     uint64_t begin_ns, uint64_t end_ns, cpu_runs_visit *visit,
		     void *ctx);

/* Sets *@idle_ns to the time from @begin_ns to @end_ns while at least one CPU
 * other than @cpu ran its idle task. Returns 0 or -ERROR_MEMORY.
 */
int cpu_runs_idle_elsewhere(const struct cpu_runs *runs, int32_t cpu,
			    uint64_t begin_ns, uint64_t end_ns,
			    uint64_t *idle_ns);

/* A runnable thread waited for a CPU in the interval [begin_ns, end_ns). */
struct cpu_wait {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t recorder_ns;  /* part of it while the recorder had the CPU */
	uint64_t throttled_ns; /* part while its cgroup was throttled */
	int32_t cpu;	       /* on which it ran afterwards */
	bool was_running;      /* it was preempted */
	/* struct time_window: when the recorder had the CPU. Owner: the finder.
	 */
	struct array recorder;
	struct array throttled; /* when its cgroup was throttled */
	/* when CPUs were idle, but none that it was allowed to use */
	struct array affinity;
	uint64_t affinity_ns;
};

/* Cuts @wait to @window. Returns whether anything is left. */
bool cpu_wait_cut(struct cpu_wait *wait, struct time_window window);

/* Called with each wait, whose affinity is empty. Returns 0 or a negative enum
 * error.
 */
typedef int consume_cpu_wait(void *ctx, const struct cpu_wait *wait);

/* Appends to @parts when CPUs were idle during @wait, and its thread was not
 * allowed to use any of them. Returns 0 or -ERROR_MEMORY.
 */
int cpu_runs_forbidden(const struct cpu_runs *runs,
		       const struct allowed_cpus *allowed,
		       const struct cpu_wait *wait, struct array *parts);

/* Finds waits in the spans of threads' time. */
struct cpu_waits {
	struct array threads; /* struct cpu_wait_state by task index */
	consume_cpu_wait *consume;
	void *ctx;
};

struct cpu_waits cpu_waits_of(consume_cpu_wait *consume, void *ctx);
void cpu_waits_free(struct cpu_waits *waits);

/* Applies a span. A wait is emitted when the span after it arrives.
 *
 * Returns 0, -ERROR_MEMORY, or the error that consume() returned.
 */
int cpu_waits_span(struct cpu_waits *waits, const struct time_span *span);

/* Emits the waits still open at the end of the recording. Returns like
 * cpu_waits_span().
 */
int cpu_waits_end(struct cpu_waits *waits);

/* The records of a cache file for waits for CPUs, written or read: the waits,
 * and the runs on each CPU. The runs are complete only when all records were
 * read, so waits that were read are emitted after that.
 */
struct runqueue_records {
	struct cache_file_writer *writer; /* NULL: records are not written */
	/* struct read_wait: waits that were read */
	struct array waits;
	/* struct read_wait: waits that are open at the recording's end */
	struct array last;
};

struct read_wait {
	struct cpu_wait wait;
	/* the waiting thread; only runqueue_records_emit() sets wait.task to
	 * it, since the array may move
	 */
	struct task task;
};

#define RUNQUEUE_RECORDS_NONE \
	((struct runqueue_records){ .waits = ARRAY_OF(struct read_wait), \
				    .last = ARRAY_OF(struct read_wait) })

void runqueue_records_free(struct runqueue_records *records);

/* Write a wait or run that has ended. */
void runqueue_records_keep_wait(const struct runqueue_records *records,
				const struct cpu_wait *wait);
void runqueue_records_keep_run(const struct runqueue_records *records,
			       uint32_t cpu, const struct cpu_run *run);

/* Reads a record: adds a run to @runs, or stores a wait until
 * runqueue_records_emit().
 */
void runqueue_records_read(struct runqueue_records *records,
			   struct cpu_runs *runs, struct pack *pack);

/* Writes or reads the runs and waits that are open at the end of the recording.
 */
void runqueue_records_pack_last(struct runqueue_records *records,
				struct cpu_runs *runs,
				const struct allowed_cpus *allowed,
				const struct cpu_waits *waits,
				struct pack *pack);

/* Passes the waits that were read to @consume, in the order of a pass over the
 * recording. Returns 0, or the first nonzero value that @consume returned.
 */
int runqueue_records_emit(struct runqueue_records *records,
			  consume_cpu_wait *consume, void *ctx);

#endif
