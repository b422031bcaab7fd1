/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LOCK_STATS_H
#define KT_TABLES_LOCK_STATS_H

#include "common/keyed_array.h"
#include "tables/locks/lock_waits.h"
#include "tables/text/histogram.h"

#include <stdint.h>

/* A thread that let a waiter have a lock. */
struct lock_release {
	int32_t tid;
	uint64_t count;
};

/* The waits for one lock in one function. */
struct lock_stat {
	struct lock_name lock;
	uint32_t function;
	struct histogram waits;
	/* The most others that waited for the lock, when a wait began and when
	 * it had ended.
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	struct keyed_array
		releases; /* struct lock_release, most first at the end */
};

/* Adds waits up by lock and function.  Memory grows with these. */
struct lock_stats {
	struct keyed_array all; /* struct lock_stat */
};

#define LOCK_STATS_NONE \
	((struct lock_stats){ KEYED_ARRAY_OF(struct lock_stat, function) })

void lock_stats_free(struct lock_stats *stats);

/* Adds a wait.  Returns 0 or -ERROR_MEMORY. */
int lock_stats_add(struct lock_stats *stats, const struct lock_wait *wait);

/* Orders the stats, the longest waits first, and their releases. */
void lock_stats_sort(struct lock_stats *stats);

#endif
