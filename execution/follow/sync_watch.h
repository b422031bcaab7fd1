/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SYNC_WATCH_H
#define KT_EXECUTION_SYNC_WATCH_H

#include "execution/follow/execution_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Waits for two synchronisation points of a stream, and keeps the state in which
 * execution passes each.
 */
struct sync_watch {
	uint64_t watched[2]; /* where they are, or before them */
	unsigned int passed; /* of them */
	size_t wanted;	     /* records up to there, and the one behind */
	struct execution_state states[2]; /* there */
};

/* Begins to wait for the first points at or behind @first and @second, or for the
 * second alone.
 */
void sync_watch_begin(struct sync_watch *watch, uint64_t first,
		      uint64_t second);
void sync_watch_begin_second(struct sync_watch *watch, uint64_t second);

/* Returns whether all that is watched was passed. */
static inline bool sync_watch_is_over(const struct sync_watch *watch)
{
	return watch->passed == 2;
}

/* @execution passes the point at @position: if it is one, it gets a MARK_SYNC. */
void sync_watch_pass(struct sync_watch *watch, struct execution *execution,
		     uint64_t position);

/* The first @gone of the finished records went. */
void sync_watch_drop(struct sync_watch *watch, size_t gone);

#endif
