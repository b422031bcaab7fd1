/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_DATA_SLICE_STORE_H
#define KT_VIEW_DATA_SLICE_STORE_H

#include <stdint.h>

#include "report/steps/call_step.h"

struct chunk_file;
struct pack;

/* The slices that the page draws, by level of zoom.
 *
 *	calls, states ─► level 0 ─► slice_thinner ─► level 1 ─► slice_thinner ─► ...
 *	                    │                           │
 *	                    └───────► slice_store ◄─────┘ (a file; read by window)
 *
 * A level has the slices that are visible at its resolution: shorter ones are
 * merged with their neighbours, so that the work for a view does not depend on
 * the length of the recording.
 *
 * 1. Slices of one track and depth are in order of time, and do not overlap.
 * 2. busy_ns of all slices of a track add up to the same sum on each level.
 * 3. Chunks of slices are in the file, and only their positions in memory.
 */

/* An interval on a track that the page draws: one call, one state of a thread,
 * or several short ones merged.
 */
struct view_slice {
	uint64_t begin_ns;
	uint64_t end_ns;
	/* sum of the merged slices, without the time between */
	uint64_t busy_ns;
	uint32_t track; /* see track_of() */
	uint32_t depth; /* depth of a call; else 0 */
	/* of the longest merged slice. TRACK_STACK: a function; TRACK_STATE: an
	 * enum view_state; TRACK_CPU: a thread's number; others: the function
	 * that began it
	 */
	uint32_t name;
	/* TRACK_STATE: the current function, or VIEW_NO_FUNCTION */
	uint32_t detail;
	/* VIEW_ASLEEP: thread that woke it; without interrupts or preemption:
	 * thread that ran; -1: unknown
	 */
	int32_t waker_tid;
	uint32_t count; /* number of merged slices; 1: not merged */
};

#define VIEW_NO_FUNCTION UINT32_MAX

/* Receives slices; those of one track and depth in order of time. */
struct slice_callback {
	void (*consume)(struct slice_callback *callback,
			const struct view_slice *slice);
};

enum track_kind {
	TRACK_CPU,   /* running threads, by CPU number */
	TRACK_STATE, /* a thread's states, by thread number */
	TRACK_STACK, /* a thread's calls, by thread number */
	TRACK_FIBER, /* a fiber's calls, by its index in the summary */
	/* intervals without interrupts, and without preemption, by CPU number */
	TRACK_INTERRUPTS_OFF,
	TRACK_PREEMPTION_OFF,
	TRACK_KINDS,
};

/* Returns the track of @kind of CPU or thread @number. */
static inline uint32_t track_of(enum track_kind kind, uint32_t number)
{
	return number * TRACK_KINDS + (uint32_t)kind;
}

/* Returns whether a track has the calls of a thread or fiber, by depth. */
static inline bool track_has_calls(uint32_t track)
{
	return track % TRACK_KINDS == TRACK_STACK ||
	       track % TRACK_KINDS == TRACK_FIBER;
}

/* Bound on track numbers: no recording has as many. */
enum { TRACK_MOST = TRACK_KINDS << 17 };

/* A thread's state: the classes of attribution/time/time_span.h, with the
 * tracer's merged into the kernel's, and each reason for unknown time as a
 * state of its own.
 */
enum view_state {
	VIEW_USER,
	VIEW_SYSTEM_CALL,
	VIEW_FAULT,
	VIEW_KERNEL,
	VIEW_INTERRUPT,
	VIEW_RUNNABLE,
	VIEW_THROTTLED,
	VIEW_ASLEEP,
	VIEW_NOT_ASKED,
	VIEW_GUEST,
	VIEW_UNKNOWN, /* + enum unknown_reason */
	VIEW_STATES = VIEW_UNKNOWN + 6,
};

/* Reduces slices to those visible at one resolution: longer ones pass
 * unchanged, shorter adjacent ones on a track and depth are merged, so that at
 * most as many are left as fit side by side.
 */
struct slice_thinner;

/* Returns a thinner that passes slices to @next, which is borrowed, in the
 * order of their ends; NULL when out of memory. If @resolution_ns is 0, all
 * slices pass unchanged.
 */
struct slice_thinner *slice_thinner_new(uint64_t resolution_ns,
					struct slice_callback *next);
void slice_thinner_free(struct slice_thinner *thinner);

struct slice_callback *slice_thinner_callback(struct slice_thinner *thinner);

/* Emits the slices that are still being merged.
 *
 * Returns 0, or -ERROR_MEMORY if slices were lost for lack of memory.
 */
int slice_thinner_end(struct slice_thinner *thinner);

/* Slices by level and track: level 0 has all stored slices, each further level
 * those visible at a lower zoom. They are in a file, some thousands per chunk;
 * only the chunks' positions are in memory.
 */
struct slice_store;

enum { SLICE_LEVELS_MOST = 16 };

/* Returns a store without slices; NULL when out of memory. Borrows @file. */
struct slice_store *slice_store_new(struct chunk_file *file);
void slice_store_free(struct slice_store *store);

/* Adds a slice; the slices of one level and track must be added in the order of
 * their ends.
 *
 * Returns 0 or a negative enum error.
 */
int slice_store_add(struct slice_store *store, uint32_t level,
		    const struct view_slice *slice);

/* Passes the slices of @level and @track that overlap @window to @callback, in
 * the order they were added.
 *
 * Returns 0 or a negative enum error: -ERROR_FORMAT if the file was changed.
 */
int slice_store_read(const struct slice_store *store, uint32_t level,
		     uint32_t track, struct time_window window,
		     struct slice_callback *callback);

/* Returns one more than the last track number on @level. */
uint32_t slice_store_tracks(const struct slice_store *store, uint32_t level);

/* Writes all slices that are still in memory to the file. Returns 0 or a
 * negative enum error.
 */
int slice_store_flush(struct slice_store *store);

/* Writes, after slice_store_flush(), the chunks' positions, or reads them. */
void slice_store_pack(struct slice_store *store, struct pack *pack);

#endif
