/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEP_STATS_H
#define KT_TABLES_SLEEP_STATS_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

struct sleep;

/* The sums of the sleeps that one chain of wakers ended, or that waited for one
 * descriptor.
 */
struct waker_stat {
	/* a chain's number, or WAKER_NONE; in fds, a descriptor */
	uint32_t waker;
	uint64_t count;
	uint64_t total_ns;
};

/* The sums of one process's, or group's, sleeps with one stack. The times are
 * of sleeps that were traced from start to end.
 */
struct sleep_stat {
	int32_t pid;
	uint32_t stack;
	uint32_t user_stack;
	uint32_t label;
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
	uint64_t runnable_ns; /* after them, until the task ran */
	/* number of other sleeps, cut by the start or end of the recording */
	uint64_t cut;
	uint64_t cut_ns;
	struct keyed_array wakers; /* struct waker_stat; the longest first once
				 * sorted */
	/* struct waker_stat by descriptor, where known */
	struct keyed_array fds;
};

struct sleep_stats {
	struct keyed_array all; /* struct sleep_stat by pid and stack */
};

#define SLEEP_STATS_NONE \
	((struct sleep_stats){ KEYED_ARRAY_OF(struct sleep_stat, user_stack) })

void sleep_stats_free(struct sleep_stats *stats);

/* Counts @sleep for process or group @pid.  Returns 0 or -ERROR_MEMORY. */
int sleep_stats_add(struct sleep_stats *stats, int32_t pid,
		    const struct sleep *sleep);

/* Returns the process that slept, or the thread if its process is unknown. */
int32_t sleep_stats_process(const struct sleep *sleep);

/* Sorts by falling total time. */
void sleep_stats_sort(struct sleep_stats *stats);

size_t sleep_stats_count(const struct sleep_stats *stats);
const struct sleep_stat *sleep_stats_at(const struct sleep_stats *stats,
					size_t index);

#endif
