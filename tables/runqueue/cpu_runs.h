/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CPU_RUNS_H
#define KT_TABLES_CPU_RUNS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct call_step;

/* One thread on a CPU: [begin_ns, end_ns). */
struct cpu_run {
	uint64_t begin_ns;
	uint64_t end_ns;
	int32_t tid; /* 0: the idle task, -1: unknown */
};

/* Called with each run when it has ended. */
typedef void take_cpu_run(void *ctx, uint32_t cpu, const struct cpu_run *run);

/* The last runs of threads on each CPU, some 65,536 a CPU. */
struct cpu_runs {
	struct array cpus;   /* struct cpu_run_list by CPU */
	take_cpu_run *ended; /* or NULL */
	void *ctx;
};

#define CPU_RUNS_NONE \
	((struct cpu_runs){ .cpus = ARRAY_OF(struct cpu_run_list) })

struct cpu_run_list {
	struct array runs;  /* struct cpu_run, in order of time */
	struct cpu_run now; /* current run, without an end yet */
	bool has_now;
};

void cpu_runs_free(struct cpu_runs *runs);

/* Applies a call event. Returns 0 or -ERROR_MEMORY. */
int cpu_runs_take(struct cpu_runs *runs, const struct call_step *step);

/* cpu_runs_add() adds a run that has ended, without a limit on their number;
 * cpu_runs_go_on() sets the current run. Return 0, or -ERROR_MEMORY, also if
 * the CPU does not exist.
 */
int cpu_runs_add(struct cpu_runs *runs, uint32_t cpu,
		 const struct cpu_run *run);
int cpu_runs_go_on(struct cpu_runs *runs, uint32_t cpu,
		   const struct cpu_run *run);

/* Called with a thread that ran and its time. */
typedef int cpu_runs_visit(void *ctx, int32_t tid, uint64_t ns);

/* Visits the threads that ran on @cpu from @begin_ns to @end_ns, newest first,
 * also the idle task (0). Returns 0, or the first nonzero value that @visit
 * returned.
 */
int cpu_runs_between(const struct cpu_runs *runs, int32_t cpu,
		     uint64_t begin_ns, uint64_t end_ns, cpu_runs_visit *visit,
		     void *ctx);

#endif
