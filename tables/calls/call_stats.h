/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_STATS_H
#define KT_TABLES_CALL_STATS_H

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "tables/text/histogram.h"

#include <stddef.h>
#include <stdint.h>

struct system_call;

/* The sums of one process's calls of one function. The times are only of calls
 * that were traced from start to end.
 */
struct call_stat {
	int32_t pid;
	uint32_t function;     /* implements the call */
	struct histogram wall; /* its count is the number of calls */
	uint64_t errors;
	uint64_t restarts; /* calls that the kernel itself restarts */
	uint64_t class_ns[TIME_CLASSES];
	uint64_t faults;
	uint64_t fault_ns;
	uint64_t no_return; /* not in wall: the task ended in the call */
	uint64_t cut;	    /* not in wall: a part of the call is untraced */
};

struct call_stats {
	struct keyed_array all; /* struct call_stat by pid and function */
};

#define CALL_STATS_NONE \
	((struct call_stats){ KEYED_ARRAY_OF(struct call_stat, function) })

void call_stats_free(struct call_stats *stats);

/* Counts @call, which has ended.  Returns 0 or -ERROR_MEMORY. */
int call_stats_add(struct call_stats *stats, const struct system_call *call);

/* Sorts by falling total time. */
void call_stats_sort(struct call_stats *stats);

size_t call_stats_count(const struct call_stats *stats);
const struct call_stat *call_stats_at(const struct call_stats *stats,
				      size_t index);

#endif
