/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LOCK_TRACKER_H
#define KT_TABLES_LOCK_TRACKER_H

struct attribution_input;
struct lock_callback;

/* Finds the waits for locks in a recording: for the kernel's own locks from
 * lock:contention_begin and contention_end (include/trace/events/lock.h), for
 * futexes from the calls of futex_wait(), for file locks from the attempts to
 * lock (include/trace/events/filelock.h).
 */
struct lock_tracker;

/* Borrows both. Emits all waits, whatever the filter of @input. Returns NULL
 * when out of memory.
 */
struct lock_tracker *lock_tracker_new(const struct attribution_input *input,
				      struct lock_callback *callback);
void lock_tracker_free(struct lock_tracker *tracker);

/* Returns 0, or -ERROR_MEMORY if the tracker or the callback ever ran out of
 * memory.
 */
int lock_tracker_status(const struct lock_tracker *tracker);

#endif
