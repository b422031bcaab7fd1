/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LOCK_WAITS_H
#define KT_TABLES_LOCK_WAITS_H

#include "common/keyed_array.h"
#include "common/number_map.h"
#include "report/steps/call_step.h"

#include <stdint.h>

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
	LOCK_FILE,  /* of a file, by flock(2) or fcntl(2) */
	LOCK_KINDS,
};

/* Returns its name, as "mutex". */
const char *lock_kind_name(enum lock_kind kind);

/* Returns the kind that the flags of lock:contention_begin say. */
enum lock_kind lock_kind_of(int64_t flags);

/* A lock as one that waits names it. */
struct lock_name {
	uint64_t address; /* LOCK_FILE: the inode's number; 0: not known */
	uint64_t device;  /* LOCK_FILE: as FILE_DEVICE; else 0 */
	int32_t pid;	  /* LOCK_FUTEX: whose memory it is in; else -1 */
	uint32_t kind;	  /* enum lock_kind */
};

/* How locks are shown: by address, files as /proc/locks has them, "fe:00:1234";
 * "" if it is not known.
 */
struct lock_text {
	char text[40];
};

struct lock_text lock_name_text(const struct lock_name *lock);

/* Returns what is the same for one lock only: a word of a process's memory has
 * that process's own address.
 */
uint64_t lock_name_key(const struct lock_name *lock);

/* One wait for a lock, from wanting it to having it. */
struct lock_wait {
	struct lock_name lock;
	uint32_t function; /* that wanted it */
	struct task task;  /* that waited, as it was when it began to */
	int32_t waker; /* the last that woke the thread, who let the lock go;
			* -1: nobody did */
	/* That waited for it, too, when the wait began and when it had ended. */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Takes each wait as it ends.  Returns 0 or -ERROR_MEMORY. */
struct lock_callback {
	int (*take)(struct lock_callback *callback,
		    const struct lock_wait *wait);
};

/* Who waits for which lock.  Memory grows with the locks that are waited for
 * at once, and with the threads that ever waited.
 */
struct lock_waits {
	struct lock_callback *callback; /* borrowed */
	struct number_map by_lock;	/* how many wait, by lock */
	struct keyed_array threads;	/* struct lock_waiter by tid */
};

/* Borrows @callback. */
void lock_waits_open(struct lock_waits *waits, struct lock_callback *callback);
void lock_waits_close(struct lock_waits *waits);

/* @task begins to wait for @lock in @function.  If it waits for that one already,
 * it goes on.  Returns 0 or -ERROR_MEMORY.
 */
int lock_waits_begin(struct lock_waits *waits, const struct task *task,
		     const struct lock_name *lock, uint32_t function,
		     uint64_t time_ns);

/* It has waited: hands that on.  Returns 0 or -ERROR_MEMORY. */
int lock_waits_end(struct lock_waits *waits, int32_t tid,
		   const struct lock_name *lock, uint64_t time_ns);

/* As lock_waits_end() for the lock of a file that @tid waits for, if it does. */
int lock_waits_end_file(struct lock_waits *waits, int32_t tid,
			uint64_t time_ns);

/* Thread @waker wakes @tid, perhaps from waiting for a lock. */
void lock_waits_wake(struct lock_waits *waits, int32_t tid, int32_t waker);

#endif
