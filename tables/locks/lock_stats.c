/* SPDX-License-Identifier: MIT */
#include "tables/locks/lock_stats.h"

#include "common/error.h"

void lock_stats_free(struct lock_stats *stats)
{
	for (size_t i = 0; i < stats->all.items.count; i++) {
		struct lock_stat *stat = array_at(&stats->all.items, i);

		histogram_free(&stat->waits);
		keyed_array_free(&stat->releases);
	}
	keyed_array_free(&stats->all);
}

static struct lock_stat *stat_of(struct lock_stats *stats,
				 const struct lock_wait *wait)
{
	return keyed_array_add(
		&stats->all,
		&(struct lock_stat){
			.lock = wait->lock,
			.function = wait->function,
			.waits = HISTOGRAM_EMPTY,
			.releases = KEYED_ARRAY_OF(struct lock_release, tid),
		});
}

static int add_release(struct lock_stat *stat, int32_t tid)
{
	struct lock_release *release = keyed_array_add(
		&stat->releases, &(struct lock_release){ .tid = tid });

	if (!release)
		return -ERROR_MEMORY;
	release->count++;
	return 0;
}

int lock_stats_add(struct lock_stats *stats, const struct lock_wait *wait)
{
	struct lock_stat *stat = stat_of(stats, wait);

	if (!stat)
		return -ERROR_MEMORY;
	if (stat->others_at_begin < wait->others_at_begin)
		stat->others_at_begin = wait->others_at_begin;
	if (stat->others_at_end < wait->others_at_end)
		stat->others_at_end = wait->others_at_end;
	if (wait->waker >= 0 && add_release(stat, wait->waker) < 0)
		return -ERROR_MEMORY;
	return histogram_add(&stat->waits, wait->end_ns - wait->begin_ns);
}

static int compare_stats(const void *a, const void *b)
{
	const struct lock_stat *x = a;
	const struct lock_stat *y = b;

	if (x->waits.total != y->waits.total)
		return x->waits.total > y->waits.total ? -1 : 1;
	if (x->lock.address != y->lock.address)
		return x->lock.address < y->lock.address ? -1 : 1;
	return x->lock.device < y->lock.device ?
		       -1 :
		       x->lock.device > y->lock.device;
}

static int compare_releases(const void *a, const void *b)
{
	const struct lock_release *x = a;
	const struct lock_release *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->tid - y->tid;
}

void lock_stats_sort(struct lock_stats *stats)
{
	array_sort(&stats->all.items, compare_stats);
	for (size_t i = 0; i < stats->all.items.count; i++) {
		struct lock_stat *stat = array_at(&stats->all.items, i);

		array_sort(&stat->releases.items, compare_releases);
	}
}
