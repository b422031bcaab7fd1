/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SYNC_WATCH_H
#define KT_EXECUTION_SYNC_WATCH_H

#include "execution/follow/execution_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Watches for two sync points of a stream and saves the state in which
 * execution passes each.
 */
struct sync_watch {
	uint64_t watched[2]; /* positions at or before the sync points */
	unsigned int passed; /* number of sync points passed */
	/* number of records up to the last one passed, plus the next one */
	size_t wanted;
	struct execution_state states[2]; /* at the sync points */
};

/* Starts watching for the first sync points at or after the positions @first
 * and @second; or only for the second.
 */
void sync_watch_begin(struct sync_watch *watch, uint64_t first,
		      uint64_t second);
void sync_watch_begin_second(struct sync_watch *watch, uint64_t second);

/* Returns whether all watched sync points were passed. */
static inline bool sync_watch_is_over(const struct sync_watch *watch)
{
	return watch->passed == 2;
}

/* Must be called when @execution has passed the sync point at @position. If it
 * is watched, saves the state and adds a MARK_SYNC. While records wait for the
 * first known time, no state is complete: then the next sync point is used
 * instead.
 */
void sync_watch_pass(struct sync_watch *watch, struct execution *execution,
		     uint64_t position);

/* Must be called when the first @gone finished records are removed. */
void sync_watch_drop(struct sync_watch *watch, size_t gone);

#endif
