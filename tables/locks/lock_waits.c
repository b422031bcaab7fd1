/* SPDX-License-Identifier: MIT */
#include "tables/locks/lock_waits.h"

#include "common/error.h"
#include "common/maps.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Maximum nesting: a thread that waits for a mutex may wait for the spinlock in
 * it, and an interrupt there for another one.
 */
enum { MOST_OPEN = 8 };

struct lock_waiter {
	int32_t tid;
	struct lock_wait open[MOST_OPEN];
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
		[LOCK_FILE] = "file",
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

void lock_waits_open(struct lock_waits *waits, struct lock_callback *callback)
{
	*waits = (struct lock_waits){
		.callback = callback,
		.threads = KEYED_ARRAY_OF(struct lock_waiter, tid),
	};
}

void lock_waits_close(struct lock_waits *waits)
{
	keyed_array_free(&waits->threads);
	number_map_free(&waits->by_lock);
}

uint64_t lock_name_key(const struct lock_name *lock)
{
	switch (lock->kind) {
	case LOCK_FUTEX:
		return lock->address ^ (uint64_t)(uint32_t)lock->pid << 48;
	case LOCK_FILE:
		return (lock->address ^ lock->device << 32) *
		       0x9e3779b97f4a7c15;
	default:
		return lock->address;
	}
}

struct lock_text lock_name_text(const struct lock_name *lock)
{
	enum { MINOR_BITS = 20 };
	struct lock_text text = { "" };

	if (lock->kind == LOCK_FILE)
		snprintf(text.text, sizeof(text.text),
			 "%02" PRIx64 ":%02" PRIx64 ":%" PRIu64,
			 lock->device >> MINOR_BITS,
			 lock->device & ((1U << MINOR_BITS) - 1),
			 lock->address);
	else if (lock->address)
		snprintf(text.text, sizeof(text.text), "0x%" PRIx64,
			 lock->address);
	return text;
}

static struct lock_wait *find(struct lock_waiter *waiter,
			      const struct lock_name *lock)
{
	for (uint32_t i = waiter->count; i-- > 0;)
		if (lock_name_key(&waiter->open[i].lock) == lock_name_key(lock))
			return &waiter->open[i];
	return NULL;
}

int lock_waits_begin(struct lock_waits *waits, const struct task *task,
		     const struct lock_name *lock, uint32_t function,
		     uint64_t time_ns)
{
	struct lock_waiter *waiter = keyed_array_add(
		&waits->threads, &(struct lock_waiter){ .tid = task->tid });
	uint64_t *others;

	if (!waiter)
		return -ERROR_MEMORY;
	if (find(waiter, lock) || waiter->count == MOST_OPEN)
		return 0;
	others = number_map_add(&waits->by_lock, lock_name_key(lock));
	if (!others)
		return -ERROR_MEMORY;
	waiter->open[waiter->count++] = (struct lock_wait){
		.lock = *lock,
		.function = function,
		.task = *task,
		.others_at_begin = (uint32_t)(*others)++,
		.begin_ns = time_ns,
		.waker = -1,
	};
	return 0;
}

int lock_waits_end(struct lock_waits *waits, int32_t tid,
		   const struct lock_name *lock, uint64_t time_ns)
{
	struct lock_waiter *waiter = keyed_array_find(&waits->threads, &tid);
	struct lock_wait *wait = waiter ? find(waiter, lock) : NULL;
	struct lock_wait ended;

	if (!wait)
		return 0;
	ended = *wait;
	memmove(wait, wait + 1,
		(size_t)(waiter->open + --waiter->count - wait) *
			sizeof(*wait));
	ended.others_at_end = (uint32_t)number_map_lower(&waits->by_lock,
							 lock_name_key(lock));
	ended.end_ns = time_ns;
	return waits->callback->take(waits->callback, &ended);
}

int lock_waits_end_file(struct lock_waits *waits, int32_t tid, uint64_t time_ns)
{
	const struct lock_waiter *waiter =
		keyed_array_find(&waits->threads, &tid);

	for (uint32_t i = waiter ? waiter->count : 0; i-- > 0;)
		if (waiter->open[i].lock.kind == LOCK_FILE)
			return lock_waits_end(waits, tid, &waiter->open[i].lock,
					      time_ns);
	return 0;
}

void lock_waits_wake(struct lock_waits *waits, int32_t tid, int32_t waker)
{
	struct lock_waiter *waiter = keyed_array_find(&waits->threads, &tid);

	if (waiter && waiter->count)
		waiter->open[waiter->count - 1].waker = waker;
}
