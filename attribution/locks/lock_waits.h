/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_LOCK_WAITS_H
#define KT_ATTRIBUTION_LOCK_WAITS_H

#include "attribution/text/histogram.h"
#include "common/array.h"

#include <stdint.h>

struct event_record;
struct number_map;

/* Locks by what they are; see LCB_F_* of include/trace/events/lock.h. */
enum lock_kind {
	LOCK_SPIN,
	LOCK_RW_SPIN, /* rwlock_t */
	LOCK_MUTEX,
	LOCK_RW_SEM,
	LOCK_PERCPU_RW_SEM,
	LOCK_RT_MUTEX,
	LOCK_OTHER,
	LOCK_FUTEX, /* a word in the memory of a process */
	LOCK_KINDS,
};

/* Returns its name, as "mutex". */
const char *lock_kind_name(enum lock_kind kind);

/* Returns the kind that the flags of lock:contention_begin say. */
enum lock_kind lock_kind_of(int64_t flags);

/* A thread that let a waiter have a lock. */
struct lock_release {
	int32_t tid;
	uint64_t count;
};

/* The waits for one lock in one function. */
struct lock_stat {
	uint64_t address; /* of the lock; 0: not known */
	uint32_t function;
	uint8_t kind; /* enum lock_kind */
	int32_t pid;  /* LOCK_FUTEX: whose memory it is in; else -1 */
	struct histogram waits;
	/* The most others that waited for the lock, when a wait began and when
	 * it had ended.
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	struct array releases; /* struct lock_release, most first at the end */
};

/* A lock as one that waits names it. */
struct lock_name {
	uint64_t address;
	int32_t pid; /* as in struct lock_stat */
	uint8_t kind;
};

/* Adds up who waits for which lock, and how long.  Memory grows with the locks
 * that anybody waited for, and with the threads that did.
 */
struct lock_waits {
	struct array stats;	    /* struct lock_stat */
	struct number_map *by_lock; /* how many wait, by lock */
	struct number_map *by_stat; /* index + 1, by lock and function */
	struct number_map *by_tid;  /* index + 1, of threads */
	struct array threads;	    /* struct lock_waiter */
};

/* Returns 0 or -ERROR_MEMORY. */
int lock_waits_open(struct lock_waits *waits);
void lock_waits_close(struct lock_waits *waits);

/* Thread @tid begins to wait for @lock in @function.  If it waits for that one
 * already, it goes on.  Returns 0 or -ERROR_MEMORY.
 */
int lock_waits_begin(struct lock_waits *waits, int32_t tid,
		     const struct lock_name *lock, uint32_t function,
		     uint64_t time_ns);

/* It has waited.  Returns 0 or -ERROR_MEMORY. */
int lock_waits_end(struct lock_waits *waits, int32_t tid,
		   const struct lock_name *lock, uint64_t time_ns);

/* Thread @waker wakes @tid, perhaps from waiting for a lock. */
void lock_waits_wake(struct lock_waits *waits, int32_t tid, int32_t waker);

/* Orders the stats, the longest waits first, and their releases. */
void lock_waits_sort(struct lock_waits *waits);

#endif
