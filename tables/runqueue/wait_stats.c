/* SPDX-License-Identifier: MIT */
#include "tables/runqueue/wait_stats.h"

#include "common/error.h"
#include "report/steps/call_step.h"

void wait_stats_free(struct wait_stats *stats)
{
	for (size_t i = 0; i < stats->rows.items.count; i++) {
		struct wait_stat *stat = array_at(&stats->rows.items, i);

		histogram_free(&stat->waits);
		keyed_array_free(&stat->instead);
	}
	keyed_array_free(&stats->rows);
	histogram_free(&stats->all);
}

static struct wait_stat *stat_of(struct wait_stats *stats, uint32_t row,
				 int32_t pid, int32_t tid)
{
	struct wait_stat *stat = keyed_array_add(
		&stats->rows,
		&(struct wait_stat){
			.row = row,
			.pid = pid,
			.waits = HISTOGRAM_EMPTY,
			.instead = KEYED_ARRAY_OF(struct run_instead, tid),
		});

	if (stat)
		stat->tid = tid;
	return stat;
}

static int add_instead(void *ctx, int32_t tid, uint64_t ns)
{
	struct wait_stat *stat = ctx;
	struct run_instead *item;

	if (!tid)
		stat->idle_ns += ns;
	if (!tid || tid == stat->tid)
		return 0;
	item = keyed_array_add(&stat->instead,
			       &(struct run_instead){ .tid = tid });
	if (!item)
		return -ERROR_MEMORY;
	item->ns += ns;
	return 0;
}

int wait_stats_add(struct wait_stats *stats, uint32_t row, int32_t pid,
		   const struct cpu_wait *wait, const struct cpu_runs *runs)
{
	struct wait_stat *stat = stat_of(stats, row, pid, wait->task->tid);
	uint64_t ns = wait->end_ns - wait->begin_ns;

	if (!stat || histogram_add(&stat->waits, ns) < 0 ||
	    histogram_add(&stats->all, ns) < 0)
		return -ERROR_MEMORY;
	stat->preempted += wait->was_running;
	stat->recorder_ns += wait->recorder_ns;
	stat->throttled_ns += wait->throttled_ns;
	return cpu_runs_between(runs, wait->cpu, wait->begin_ns, wait->end_ns,
				add_instead, stat);
}

static int compare_instead(const void *a, const void *b)
{
	const struct run_instead *one = a;
	const struct run_instead *other = b;

	if (one->ns != other->ns)
		return one->ns < other->ns ? 1 : -1;
	return one->tid < other->tid ? -1 : one->tid > other->tid;
}

static int compare_stats(const void *a, const void *b)
{
	const struct wait_stat *one = a;
	const struct wait_stat *other = b;

	if (one->waits.total != other->waits.total)
		return one->waits.total < other->waits.total ? 1 : -1;
	return one->tid < other->tid ? -1 : one->tid > other->tid;
}

void wait_stats_sort(struct wait_stats *stats)
{
	struct wait_stat *items = stats->rows.items.items;

	for (size_t i = 0; i < stats->rows.items.count; i++)
		array_sort(&items[i].instead.items, compare_instead);
	array_sort(&stats->rows.items, compare_stats);
}
