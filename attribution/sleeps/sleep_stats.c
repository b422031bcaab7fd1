/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleep_stats.h"

#include "attribution/sleeps/sleeps.h"
#include "common/error.h"
#include "common/number_map.h"

#include <stdlib.h>

struct sleep_stats {
	struct number_map *by_key; /* index + 1 of the newest of a key */
	struct array all;	   /* struct sleep_stat */
	struct array earlier;	   /* uint64_t: index + 1 of the one before
					 * with the same key, by index */
};

struct sleep_stats *sleep_stats_new(void)
{
	struct sleep_stats *stats = calloc(1, sizeof(*stats));

	if (!stats)
		return NULL;
	stats->all = ARRAY_OF(struct sleep_stat);
	stats->earlier = ARRAY_OF(uint64_t);
	stats->by_key = number_map_new();
	if (stats->by_key)
		return stats;
	sleep_stats_free(stats);
	return NULL;
}

static struct sleep_stat *stat_at(const struct sleep_stats *stats, size_t index)
{
	return (struct sleep_stat *)stats->all.items + index;
}

void sleep_stats_free(struct sleep_stats *stats)
{
	if (!stats)
		return;
	for (size_t i = 0; i < stats->all.count; i++) {
		array_free(&stat_at(stats, i)->wakers);
		array_free(&stat_at(stats, i)->fds);
	}
	array_free(&stats->all);
	array_free(&stats->earlier);
	number_map_free(stats->by_key);
	free(stats);
}

int32_t sleep_stats_process(const struct sleep *sleep)
{
	return sleep->task->pid < 0 ? sleep->task->tid : sleep->task->pid;
}

static struct sleep_stat *add_stat(struct sleep_stats *stats, uint64_t *index,
				   int32_t pid, const struct sleep *sleep)
{
	struct sleep_stat *stat = array_add(&stats->all);
	uint64_t *earlier = stat ? array_add(&stats->earlier) : NULL;

	if (!earlier)
		return NULL;
	*earlier = *index;
	*index = stats->all.count;
	stat->pid = pid;
	stat->stack = sleep->stack;
	stat->user_stack = sleep->user_stack;
	stat->label = sleep->label;
	stat->wakers = ARRAY_OF(struct waker_stat);
	stat->fds = ARRAY_OF(struct waker_stat);
	return stat;
}

static struct sleep_stat *stat_of(struct sleep_stats *stats, int32_t pid,
				  const struct sleep *sleep)
{
	uint64_t *index = number_map_add(
		stats->by_key, (uint64_t)(uint32_t)pid << 32 | sleep->stack);

	if (!index)
		return NULL;
	for (uint64_t i = *index; i;
	     i = *(uint64_t *)array_at(&stats->earlier, i - 1))
		if (stat_at(stats, i - 1)->user_stack == sleep->user_stack)
			return stat_at(stats, i - 1);
	return add_stat(stats, index, pid, sleep);
}

static int add_to(struct array *list, uint32_t number,
		  const struct sleep *sleep)
{
	struct waker_stat *waker = list->items;
	size_t i = 0;

	while (i < list->count && waker[i].waker != number)
		i++;
	waker = i < list->count ? &waker[i] : array_add(list);
	if (!waker)
		return -ERROR_MEMORY;
	waker->waker = number;
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
	array_sort(&stats->all, compare_totals);
	for (size_t i = 0; i < stats->all.count; i++) {
		array_sort(&stat_at(stats, i)->wakers, compare_wakers);
		array_sort(&stat_at(stats, i)->fds, compare_wakers);
	}
}

size_t sleep_stats_count(const struct sleep_stats *stats)
{
	return stats->all.count;
}

const struct sleep_stat *sleep_stats_at(const struct sleep_stats *stats,
					size_t index)
{
	return stat_at(stats, index);
}
