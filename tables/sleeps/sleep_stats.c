/* SPDX-License-Identifier: MIT */
#include "tables/sleeps/sleep_stats.h"

#include "attribution/sleeps/sleeps.h"
#include "common/array.h"
#include "common/error.h"

static struct sleep_stat *stat_at(const struct sleep_stats *stats, size_t index)
{
	return (struct sleep_stat *)stats->all.items.items + index;
}

void sleep_stats_free(struct sleep_stats *stats)
{
	for (size_t i = 0; i < stats->all.items.count; i++) {
		keyed_array_free(&stat_at(stats, i)->wakers);
		keyed_array_free(&stat_at(stats, i)->fds);
	}
	keyed_array_free(&stats->all);
}

int32_t sleep_stats_process(const struct sleep *sleep)
{
	return sleep->task->pid < 0 ? sleep->task->tid : sleep->task->pid;
}

static struct sleep_stat *stat_of(struct sleep_stats *stats, int32_t pid,
				  const struct sleep *sleep)
{
	return keyed_array_add(
		&stats->all,
		&(struct sleep_stat){
			.pid = pid,
			.stack = sleep->stack,
			.user_stack = sleep->user_stack,
			.label = sleep->label,
			.wakers = KEYED_ARRAY_OF(struct waker_stat, waker),
			.fds = KEYED_ARRAY_OF(struct waker_stat, waker),
		});
}

static int add_to(struct keyed_array *list, uint32_t number,
		  const struct sleep *sleep)
{
	struct waker_stat *waker =
		keyed_array_add(list, &(struct waker_stat){ .waker = number });

	if (!waker)
		return -ERROR_MEMORY;
	waker->count++;
	waker->total_ns += sleep->asleep_ns;
	return 0;
}

int sleep_stats_add(struct sleep_stats *stats, int32_t pid,
		    const struct sleep *sleep)
{
	struct sleep_stat *stat = stat_of(stats, pid, sleep);

	if (!stat)
		return -ERROR_MEMORY;
	if (sleep->is_cut) {
		stat->cut++;
		stat->cut_ns += sleep->asleep_ns;
		return 0;
	}
	stat->count++;
	stat->total_ns += sleep->asleep_ns;
	stat->runnable_ns += sleep->runnable_ns;
	if (sleep->asleep_ns > stat->max_ns)
		stat->max_ns = sleep->asleep_ns;
	if (sleep->fd >= 0 &&
	    add_to(&stat->fds, (uint32_t)sleep->fd, sleep) < 0)
		return -ERROR_MEMORY;
	return add_to(&stat->wakers, sleep->waker, sleep);
}

static int compare_totals(const void *a, const void *b)
{
	const struct sleep_stat *x = a;
	const struct sleep_stat *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x->cut_ns != y->cut_ns)
		return x->cut_ns > y->cut_ns ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return x->user_stack < y->user_stack ? -1 : 1;
}

static int compare_wakers(const void *a, const void *b)
{
	const struct waker_stat *x = a;
	const struct waker_stat *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->waker < y->waker ? -1 : x->waker > y->waker;
}

void sleep_stats_sort(struct sleep_stats *stats)
{
	array_sort(&stats->all.items, compare_totals);
	for (size_t i = 0; i < stats->all.items.count; i++) {
		array_sort(&stat_at(stats, i)->wakers.items, compare_wakers);
		array_sort(&stat_at(stats, i)->fds.items, compare_wakers);
	}
}

size_t sleep_stats_count(const struct sleep_stats *stats)
{
	return stats->all.items.count;
}

const struct sleep_stat *sleep_stats_at(const struct sleep_stats *stats,
					size_t index)
{
	return stat_at(stats, index);
}
