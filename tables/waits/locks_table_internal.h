/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_LOCKS_TABLE_INTERNAL_H
#define KT_TABLES_WAITS_LOCKS_TABLE_INTERNAL_H

#include "attribution/lock_waits.h"
#include "common/array.h"
#include "tables/text/histogram.h"

#include <stdint.h>

/* A thread that released a lock to a waiter. */
struct lock_release {
	int32_t tid;
	uint64_t count;
};

/* The sums of the waits for one lock in one function. */
struct lock_stat {
	struct lock_name lock;
	uint32_t function;
	int32_t group;		 /* of the waiting threads, by --by; else 0 */
	uint64_t return_address; /* as in the first wait */
	struct histogram waits;
	/* Maximum numbers of other waiters at the start and the end of a wait.
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	struct keyed_array
		/* struct lock_release; most frequent first once sorted */
		releases;
};

/* Sums of waits by lock, function and group. Memory grows with the number of
 * these.
 */
struct lock_stats {
	struct keyed_array all; /* struct lock_stat */
};

#define LOCK_STATS_NONE \
	((struct lock_stats){ KEYED_ARRAY_OF(struct lock_stat, group) })

void lock_stats_free(struct lock_stats *stats);

/* Adds a wait of a thread of @group.  Returns 0 or -ERROR_MEMORY. */
int lock_stats_add(struct lock_stats *stats, const struct lock_wait *wait,
		   int32_t group);

/* Sorts the stats, the longest waits first, and the releases of each. */
void lock_stats_sort(struct lock_stats *stats);

#endif
