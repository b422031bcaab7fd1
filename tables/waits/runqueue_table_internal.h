/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_RUNQUEUE_TABLE_INTERNAL_H
#define KT_TABLES_WAITS_RUNQUEUE_TABLE_INTERNAL_H

#include "common/array.h"
#include "tables/text/histogram.h"
#include "tables/waits/runqueue_records_internal.h"

#include <stdint.h>

/* A thread that ran while another waited for its CPU. */
struct run_instead {
	int32_t tid;
	uint64_t ns;
};

/* The sums of one thread's, or group's, waits for a CPU. */
struct wait_stat {
	uint32_t row; /* key: a task's index, or a group's number */
	int32_t pid;  /* of a group: its number */
	int32_t tid;  /* of a group: one of its threads */
	struct histogram waits;
	uint64_t preempted;	    /* waits that started by preemption */
	uint64_t recorder_ns;	    /* part while the recorder had the CPU */
	uint64_t throttled_ns;	    /* part while its cgroup was throttled */
	uint64_t idle_ns;	    /* part while the CPU was idle */
	uint64_t idle_elsewhere_ns; /* part while another CPU was idle */
	/* part of that while it was not allowed to use any of them */
	uint64_t affinity_ns;
	struct keyed_array instead; /* struct run_instead, longest first after
				 * wait_stats_sort() */
};

/* The sums of all threads or groups. */
struct wait_stats {
	struct keyed_array rows; /* struct wait_stat */
	struct histogram all;
};

#define WAIT_STATS_NONE \
	((struct wait_stats){ .rows = KEYED_ARRAY_OF(struct wait_stat, row), \
			      .all = HISTOGRAM_EMPTY })

void wait_stats_free(struct wait_stats *stats);

/* Adds @wait to the row @row of process or group @pid; @runs has the threads
 * that ran instead. Returns 0 or -ERROR_MEMORY.
 */
int wait_stats_add(struct wait_stats *stats, uint32_t row, int32_t pid,
		   const struct cpu_wait *wait, const struct cpu_runs *runs);

/* Sorts rows by falling total wait, and in each the threads that ran instead by
 * falling time. Nothing may be added afterwards.
 */
void wait_stats_sort(struct wait_stats *stats);

#endif
