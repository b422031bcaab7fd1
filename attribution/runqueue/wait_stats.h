/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WAIT_STATS_H
#define KT_ATTRIBUTION_WAIT_STATS_H

#include "attribution/runqueue/cpu_runs.h"
#include "attribution/runqueue/cpu_waits.h"
#include "attribution/text/histogram.h"

#include <stdint.h>

/* A thread that ran while another waited for its CPU. */
struct run_instead {
	int32_t tid;
	uint64_t ns;
};

/* One thread's waits for a CPU. */
struct wait_stat {
	int32_t pid;
	int32_t tid;
	struct histogram waits;
	uint64_t preempted;   /* waits that began on a CPU */
	uint64_t recorder_ns; /* the recorder had the CPU */
	struct array instead; /* struct run_instead, longest first after
				 * wait_stats_sort() */
};

/* Those of all threads. */
struct wait_stats {
	struct array threads; /* struct wait_stat, of some by task index */
	struct histogram all;
};

#define WAIT_STATS_NONE \
	((struct wait_stats){ .threads = ARRAY_OF(struct wait_stat), \
			      .all = HISTOGRAM_EMPTY })

void wait_stats_free(struct wait_stats *stats);

/* Adds @wait; @runs tells who ran instead.  Returns 0 or -ERROR_MEMORY. */
int wait_stats_add(struct wait_stats *stats, const struct cpu_wait *wait,
		   const struct cpu_runs *runs);

/* Keeps the threads that waited, longest in all first, and orders who ran
 * instead.  Nothing is added afterwards.
 */
void wait_stats_sort(struct wait_stats *stats);

#endif
