/* SPDX-License-Identifier: MIT */
#include "attribution/locks/lock_stats.h"

#include "common/error.h"
#include "common/number_map.h"

int lock_stats_open(struct lock_stats *stats)
{
	*stats = (struct lock_stats){
		.stats = ARRAY_OF(struct lock_stat),
		.by_lock = number_map_new(),
	};
	return stats->by_lock ? 0 : -ERROR_MEMORY;
}

void lock_stats_close(struct lock_stats *stats)
{
	for (size_t i = 0; i < stats->stats.count; i++) {
		struct lock_stat *stat = array_at(&stats->stats, i);

		histogram_free(&stat->waits);
		array_free(&stat->releases);
	}
	array_free(&stats->stats);
	number_map_free(stats->by_lock);
}

static struct lock_stat *stat_of(struct lock_stats *stats,
				 const struct lock_wait *wait)
{
	const uint64_t key = lock_name_key(&wait->lock) * 0x9e3779b97f4a7c15 ^
			     wait->function;
	uint64_t *number = number_map_add(stats->by_lock, key);
	struct lock_stat *stat;

	if (!number)
		return NULL;
	if (*number)
		return array_at(&stats->stats, *number - 1);
	stat = array_add(&stats->stats);
	if (!stat)
		return NULL;
	*stat = (struct lock_stat){
		.address = wait->lock.address,
		.function = wait->function,
		.kind = wait->lock.kind,
		.pid = wait->lock.pid,
		.waits = HISTOGRAM_EMPTY,
		.releases = ARRAY_OF(struct lock_release),
	};
	*number = stats->stats.count;
	return stat;
}

static int add_release(struct lock_stat *stat, int32_t tid)
{
	struct lock_release *releases = stat->releases.items;
	struct lock_release *release;

	for (size_t i = 0; i < stat->releases.count; i++) {
		if (releases[i].tid == tid) {
			releases[i].count++;
			return 0;
		}
	}
	release = array_add(&stat->releases);
	if (!release)
		return -ERROR_MEMORY;
	*release = (struct lock_release){ tid, 1 };
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
	return x->address < y->address ? -1 : x->address > y->address;
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
	array_sort(&stats->stats, compare_stats);
	for (size_t i = 0; i < stats->stats.count; i++) {
		struct lock_stat *stat = array_at(&stats->stats, i);

		array_sort(&stat->releases, compare_releases);
	}
}
