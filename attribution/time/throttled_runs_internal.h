/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_THROTTLED_RUNS_INTERNAL_H
#define KT_ATTRIBUTION_TIME_THROTTLED_RUNS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* The intervals when the scheduler throttled a cgroup on a CPU, because the
 * group had used up its CPU quota: from tg_throttle_down() in throttle_cfs_rq()
 * to unthrottle_cfs_rq() (kernel/sched/fair.c). The trace does not show which
 * group is throttled, but a thread in it is known: the one that runs then, or
 * that the scheduler adds to its queue.
 */
struct throttled_run {
	uint64_t begin_ns;
	uint64_t end_ns; /* UINT64_MAX: still throttled */
	int32_t tid;	 /* a thread in the group; -1: unknown */
	int32_t pid;
};

/* Number of intervals stored: more than the groups throttled on a CPU during
 * one wait of a thread there. For a longer wait, only the last intervals are
 * known.
 */
enum { THROTTLED_RUNS = 32 };

/* The last intervals on a CPU. A zeroed struct is empty. */
struct throttled_runs {
	struct throttled_run runs[THROTTLED_RUNS];
	uint32_t count; /* total; older ones are overwritten */
};

/* Starts an interval in which the cgroup of thread @tid of process @pid is
 * throttled.
 */
void throttled_runs_begin(struct throttled_runs *runs, uint64_t time_ns,
			  int32_t tid, int32_t pid);

/* Ends the oldest interval that has not ended. Returns false if all have. */
bool throttled_runs_end(struct throttled_runs *runs, uint64_t time_ns);

/* Finds the first interval, cut to [@from_ns, @until_ns), for which
 * @is_of(ctx, run) returns true. Returns whether there is one, and sets *@run.
 */
bool throttled_runs_find(const struct throttled_runs *runs, uint64_t from_ns,
			 uint64_t until_ns,
			 bool (*is_of)(const void *ctx,
				       const struct throttled_run *run),
			 const void *ctx, struct throttled_run *run);

/* Writes the intervals, or reads them into @runs, which must be empty. */
void throttled_runs_pack(struct throttled_runs *runs, struct pack *pack);

#endif
