/* SPDX-License-Identifier: MIT */
#include "attribution/locks/lock_waits.h"

#include "common/error.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <string.h>

/* A thread that waits for a mutex may wait for the spinlock within, and that in
 * an interrupt for another one.
 */
enum { MOST_OPEN = 8 };

struct open_wait {
	struct lock_name lock;
	uint32_t function;
	uint32_t others; /* that waited for it already */
	uint64_t begin_ns;
	int32_t waker; /* the last that woke the thread; -1: nobody */
};

struct lock_waiter {
	struct open_wait open[MOST_OPEN];
	uint32_t count;
};

const char *lock_kind_name(enum lock_kind kind)
{
	static const char *const names[LOCK_KINDS] = {
		[LOCK_SPIN] = "spinlock",
		[LOCK_RW_SPIN] = "rwlock",
		[LOCK_MUTEX] = "mutex",
		[LOCK_RW_SEM] = "rwsem",
		[LOCK_PERCPU_RW_SEM] = "percpu_rwsem",
		[LOCK_RT_MUTEX] = "rt_mutex",
		[LOCK_OTHER] = "other",
		[LOCK_FUTEX] = "futex",
	};

	return names[kind];
}

enum lock_kind lock_kind_of(int64_t flags)
{
	enum { SPIN = 1, READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };

	if (flags & MUTEX)
		return LOCK_MUTEX;
	if (flags & PERCPU)
		return LOCK_PERCPU_RW_SEM;
	if (flags & RT)
		return LOCK_RT_MUTEX;
	if (flags & (READ | WRITE))
		return flags & SPIN ? LOCK_RW_SPIN : LOCK_RW_SEM;
	return flags & SPIN ? LOCK_SPIN : LOCK_OTHER;
}

int lock_waits_open(struct lock_waits *waits)
{
	*waits = (struct lock_waits){
		.stats = ARRAY_OF(struct lock_stat),
		.by_lock = number_map_new(),
		.by_stat = number_map_new(),
		.by_tid = number_map_new(),
		.threads = ARRAY_OF(struct lock_waiter),
	};
	return waits->by_lock && waits->by_stat && waits->by_tid ?
		       0 :
		       -ERROR_MEMORY;
}

void lock_waits_close(struct lock_waits *waits)
{
	for (size_t i = 0; i < waits->stats.count; i++) {
		struct lock_stat *stat = array_at(&waits->stats, i);

		histogram_free(&stat->waits);
		array_free(&stat->releases);
	}
	array_free(&waits->stats);
	array_free(&waits->threads);
	number_map_free(waits->by_lock);
	number_map_free(waits->by_stat);
	number_map_free(waits->by_tid);
}

/* A word of a process's memory has that process's own address. */
static uint64_t key_of(const struct lock_name *lock)
{
	return lock->kind == LOCK_FUTEX ?
		       lock->address ^ (uint64_t)(uint32_t)lock->pid << 48 :
		       lock->address;
}

static struct lock_waiter *waiter_of(struct lock_waits *waits, int32_t tid,
				     bool adds)
{
	uint64_t *number =
		adds ? number_map_add(waits->by_tid, (uint64_t)(uint32_t)tid) :
		       number_map_find(waits->by_tid, (uint64_t)(uint32_t)tid);

	if (!number || (!*number && !array_add(&waits->threads)))
		return NULL;
	if (!*number)
		*number = waits->threads.count;
	return array_at(&waits->threads, *number - 1);
}

static struct lock_stat *stat_of(struct lock_waits *waits,
				 const struct open_wait *wait)
{
	const uint64_t key = key_of(&wait->lock) * 0x9e3779b97f4a7c15 ^
			     wait->function;
	uint64_t *number = number_map_add(waits->by_stat, key);
	struct lock_stat *stat;

	if (!number)
		return NULL;
	if (*number)
		return array_at(&waits->stats, *number - 1);
	stat = array_add(&waits->stats);
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
	*number = waits->stats.count;
	return stat;
}

static struct open_wait *find(struct lock_waiter *waiter,
			      const struct lock_name *lock)
{
	for (uint32_t i = waiter->count; i-- > 0;)
		if (key_of(&waiter->open[i].lock) == key_of(lock))
			return &waiter->open[i];
	return NULL;
}

int lock_waits_begin(struct lock_waits *waits, int32_t tid,
		     const struct lock_name *lock, uint32_t function,
		     uint64_t time_ns)
{
	struct lock_waiter *waiter = waiter_of(waits, tid, true);
	uint64_t *others;

	if (!waiter)
		return -ERROR_MEMORY;
	if (find(waiter, lock) || waiter->count == MOST_OPEN)
		return 0;
	others = number_map_add(waits->by_lock, key_of(lock));
	if (!others)
		return -ERROR_MEMORY;
	waiter->open[waiter->count++] = (struct open_wait){
		.lock = *lock,
		.function = function,
		.others = (uint32_t)(*others)++,
		.begin_ns = time_ns,
		.waker = -1,
	};
	return 0;
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

static int add(struct lock_waits *waits, const struct open_wait *wait,
	       uint32_t others, uint64_t time_ns)
{
	struct lock_stat *stat = stat_of(waits, wait);

	if (!stat)
		return -ERROR_MEMORY;
	if (stat->others_at_begin < wait->others)
		stat->others_at_begin = wait->others;
	if (stat->others_at_end < others)
		stat->others_at_end = others;
	if (wait->waker >= 0 && add_release(stat, wait->waker) < 0)
		return -ERROR_MEMORY;
	return histogram_add(&stat->waits, time_ns - wait->begin_ns);
}

int lock_waits_end(struct lock_waits *waits, int32_t tid,
		   const struct lock_name *lock, uint64_t time_ns)
{
	struct lock_waiter *waiter = waiter_of(waits, tid, false);
	struct open_wait *wait = waiter ? find(waiter, lock) : NULL;
	struct open_wait ended;
	uint64_t *others;

	if (!wait)
		return 0;
	ended = *wait;
	memmove(wait, wait + 1,
		(size_t)(waiter->open + --waiter->count - wait) *
			sizeof(*wait));
	others = number_map_find(waits->by_lock, key_of(lock));
	if (--*others)
		return add(waits, &ended, (uint32_t)*others, time_ns);
	number_map_remove(waits->by_lock, key_of(lock));
	return add(waits, &ended, 0, time_ns);
}

void lock_waits_wake(struct lock_waits *waits, int32_t tid, int32_t waker)
{
	struct lock_waiter *waiter = waiter_of(waits, tid, false);

	if (waiter && waiter->count)
		waiter->open[waiter->count - 1].waker = waker;
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

void lock_waits_sort(struct lock_waits *waits)
{
	array_sort(&waits->stats, compare_stats);
	for (size_t i = 0; i < waits->stats.count; i++) {
		struct lock_stat *stat = array_at(&waits->stats, i);

		array_sort(&stat->releases, compare_releases);
	}
}
