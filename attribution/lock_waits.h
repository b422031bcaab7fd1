/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_LOCK_WAITS_H
#define KT_ATTRIBUTION_LOCK_WAITS_H

/* Waits for locks, one by one: for the table of locks (locks_table.c) and SQL.
 * Pages, bits and variables count as locks: a thread waits for a page until it
 * is read, written or unlocked.
 *
 * kernel events ----> lock_tracker ----> lock_waits ----> struct lock_callback
 * calls of futex_wait()  begin, end,      open waits by    each wait, as it
 * and ends of file locks,     wake-ups         lock and thread
 * pages and bits
 *
 * Invariants:
 * 1. A wait is emitted once, when it ends.
 * 2. A thread's waits nest: interrupts and inner locks are waited for within
 *    the wait for an outer lock.
 * 3. others_at_begin and others_at_end count the other waiters for the same
 *    lock.
 *
 * Errors: -ERROR_MEMORY, kept until lock_tracker_status().
 */

#include "common/array.h"
#include "common/maps.h"
#include "report/steps/call_step.h"

#include <stdint.h>

struct cache_file_writer;
struct event_handler;
struct function_table;
struct pack;
struct thread_tracker;
struct wait_channels;

/* Kinds of locks; see LCB_F_* in include/trace/events/lock.h. */
enum lock_kind {
	LOCK_SPIN,
	LOCK_RW_SPIN, /* rwlock_t */
	LOCK_MUTEX,
	LOCK_RW_SEM,
	LOCK_PERCPU_RW_SEM,
	LOCK_RT_MUTEX,
	LOCK_OTHER,
	LOCK_FUTEX,    /* a word in the memory of a process */
	LOCK_FILE,     /* locked by flock(2) or fcntl(2) */
	LOCK_PAGE,     /* a page or folio, by record --args=wait_objects */
	LOCK_BIT,      /* a bit of a word, such as that of a buffer or inode */
	LOCK_VARIABLE, /* waited for by wait_var_event(), as an inode's state */
	LOCK_KINDS,
};

/* Returns the name of @kind: "mutex". */
const char *lock_kind_name(enum lock_kind kind);

/* Returns the kind for the @flags of lock:contention_begin. */
enum lock_kind lock_kind_of(int64_t flags);

/* Identifies a lock. */
struct lock_name {
	/* LOCK_FILE: the inode's number; LOCK_PAGE: of its struct folio; 0:
	 * unknown
	 */
	uint64_t address;
	uint64_t device; /* LOCK_FILE: in the encoding of FILE_DEVICE; else 0 */
	/* LOCK_FUTEX: process whose memory has the futex word; else -1 */
	int32_t pid;
	uint32_t kind; /* enum lock_kind */
	uint64_t part; /* LOCK_BIT: number of the bit; else 0 */
};

/* A lock as text: its address, with the number of a bit after a plus sign; for
 * files the format of /proc/locks, "fe:00:1234"; "" if unknown.
 */
struct lock_text {
	char text[64];
};

struct lock_text lock_name_text(const struct lock_name *lock);

/* One wait for a lock, from the attempt to lock it to success. */
struct lock_wait {
	struct lock_name lock;
	uint32_t function; /* the function that tried to lock */
	/* return address in function of its call into the kernel's locking
	 * functions; 0: unknown
	 */
	uint64_t return_address;
	struct task task; /* the waiting thread, at the start of the wait */
	/* last thread that woke the waiter during this wait; -1: none */
	int32_t waker;
	/* Numbers of other waiters at the start and the end of the wait. */
	uint32_t others_at_begin;
	uint32_t others_at_end;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Called with each wait as it ends. Returns 0 or -ERROR_MEMORY. */
struct lock_callback {
	int (*consume)(struct lock_callback *callback,
		       const struct lock_wait *wait);
};

/* The threads that wait for locks. Memory grows with the number of locks that
 * have waiters at the same time, and of threads that ever waited.
 */
struct lock_waits {
	struct lock_callback *callback; /* borrowed */
	struct number_map by_lock;	/* number of waiters by lock */
	struct keyed_array threads;	/* struct lock_waiter by tid */
};

/* Initialises @waits, without any wait. @callback, which is borrowed, receives
 * the waits. lock_waits_close() frees the members.
 */
void lock_waits_open(struct lock_waits *waits, struct lock_callback *callback);
void lock_waits_close(struct lock_waits *waits);

/* Starts a wait of @task for @lock in @function, in a call that returns to
 * @return_address. If the task already waits for the lock, or has 8 open waits,
 * nothing changes. Returns 0 or -ERROR_MEMORY.
 */
int lock_waits_begin(struct lock_waits *waits, const struct task *task,
		     const struct lock_name *lock, uint32_t function,
		     uint64_t return_address, uint64_t time_ns);

/* Ends the wait of @tid for @lock and emits it. Returns 0 or -ERROR_MEMORY. */
int lock_waits_end(struct lock_waits *waits, int32_t tid,
		   const struct lock_name *lock, uint64_t time_ns);

/* Like lock_waits_end(), but for the lock of the kinds @kinds (1 << LOCK_FILE)
 * that @tid began to wait for last, if any.
 */
int lock_waits_end_kind(struct lock_waits *waits, int32_t tid, uint32_t kinds,
			uint64_t time_ns);

/* Records that thread @waker wakes @tid, which may be waiting for a lock. */
void lock_waits_wake(struct lock_waits *waits, int32_t tid, int32_t waker);

/* Finds the waits for locks in a recording: for the kernel's own locks from
 * lock:contention_begin and contention_end (include/trace/events/lock.h), for
 * futexes from the calls of futex_wait(), for file locks from the attempts to
 * lock (include/trace/events/filelock.h), for pages, bits and variables from the
 * records of record --args=wait_objects.
 */
struct lock_tracker;

/* Returns a tracker, which borrows all arguments; NULL when out of memory. */
struct lock_tracker *lock_tracker_new(const struct function_table *functions,
				      struct thread_tracker *threads,
				      const struct wait_channels *channels);
void lock_tracker_free(struct lock_tracker *tracker);

/* Makes @callback receive all waits. Borrows it. Returns 0 or -ERROR_MEMORY. */
int lock_tracker_listen(struct lock_tracker *tracker,
			struct lock_callback *callback);

/* Returns the handler that must receive the pass, after the thread tracker. */
struct event_handler *lock_tracker_handler(struct lock_tracker *tracker);

/* Returns 0, or -ERROR_MEMORY if the tracker or the callback ever ran out of
 * memory.
 */
int lock_tracker_status(const struct lock_tracker *tracker);

/* Implement members of struct table_records: lock_tracker_keep() makes the
 * tracker write each wait to @writer when it ends; lock_tracker_read() reads a
 * wait and passes it to all callbacks. @handler: lock_tracker_handler().
 */
void lock_tracker_keep(struct event_handler *handler,
		       struct cache_file_writer *writer);
void lock_tracker_read(struct event_handler *handler, struct pack *pack);

/* Writes @wait, or reads it. @functions: number of functions. */
void lock_pack(struct pack *pack, struct lock_wait *wait, uint32_t functions);

#endif
