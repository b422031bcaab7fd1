/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TRACED_CPUS_H
#define KT_ATTRIBUTION_TRACED_CPUS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;
struct thread;
struct threads;

struct recorder_run {
	uint64_t begin_ns;
	uint64_t end_ns; /* UINT64_MAX: it runs */
};

/* More than the recorder runs on a CPU while a thread waits there, but for a
 * thread that hardly gets a turn: its wait is the tracer's only in so far.
 */
enum { RECORDER_RUNS = 32 };

/* When the recorder's threads last had a CPU: what others waited for there.  A
 * zeroed one has none.
 */
struct recorder_runs {
	struct recorder_run runs[RECORDER_RUNS];
	uint32_t count; /* so far: older ones are overwritten */
};

/* A CPU as the steps show it. */
struct traced_cpu {
	bool has_ended;
	uint8_t state;		/* enum cpu_state */
	struct thread *current; /* NULL before its first step */
	/* Leaves where current does: exec gave the one the other's id. */
	struct thread *next_owner;
	struct recorder_runs recorder;
};

/* The CPUs of a recording by number; one stands for the streams of threads,
 * which have none.  Numbers may be far apart: there are only those that are seen.
 */
struct traced_cpus {
	struct array places; /* uint32_t, by number + 1: in cpus, + 1; 0: none */
	struct array cpus;   /* struct traced_cpu, as they came */
	uint32_t ended;	     /* how many of them are over */
};

#define TRACED_CPUS_NONE \
	((struct traced_cpus){ \
		.places = ARRAY_OF(uint32_t), \
		.cpus = ARRAY_OF(struct traced_cpu), \
	})

void traced_cpus_free(struct traced_cpus *cpus);

/* Writes all, or sets @cpus, which have none, to what it reads.  Their threads
 * are of @threads.
 */
void traced_cpus_pack(struct traced_cpus *cpus, struct pack *pack,
		      const struct threads *threads);

/* Returns the CPU of a step, adding it; NULL when out of memory. */
struct traced_cpu *traced_cpus_add(struct traced_cpus *cpus, uint32_t cpu);

/* Returns the CPU, or NULL if there was no step of it. */
struct traced_cpu *traced_cpus_find(const struct traced_cpus *cpus,
				    int32_t cpu);

/* The trace of @cpu, one of @cpus, ends. */
void traced_cpus_end(struct traced_cpus *cpus, struct traced_cpu *cpu);

/* Returns whether there were some and all have ended. */
bool traced_cpus_are_over(const struct traced_cpus *cpus);

/* Returns whether the steps show what runs on @cpu now. */
bool traced_cpus_show(const struct traced_cpus *cpus, int32_t cpu);

void recorder_runs_begin(struct recorder_runs *runs, uint64_t time_ns);
void recorder_runs_end(struct recorder_runs *runs, uint64_t time_ns);

/* Finds the first run in [@from_ns, @until_ns), cut to that.
 *
 * Returns whether there is one, in *@run.
 */
bool recorder_runs_find(const struct recorder_runs *runs, uint64_t from_ns,
			uint64_t until_ns, struct recorder_run *run);

#endif
