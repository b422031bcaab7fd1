/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SLICE_H
#define KT_VIEW_SLICE_H

#include <stdint.h>

/* An interval on a lane that the page draws: one call, one state of a thread,
 * or several short ones merged.
 */
struct view_slice {
	uint64_t begin_ns;
	uint64_t end_ns;
	/* sum of the merged slices, without the time between */
	uint64_t busy_ns;
	uint32_t lane;	/* see lane_of() */
	uint32_t depth; /* of a call; else 0 */
	/* of the longest merged slice. LANE_STACK: a function; LANE_STATE: an
	 * enum view_state; LANE_CPU: a thread's number
	 */
	uint32_t name;
	/* LANE_STATE: the current function, or VIEW_NO_FUNCTION */
	uint32_t detail;
	int32_t waker_tid; /* of VIEW_ASLEEP; -1: unknown */
	uint32_t count;	   /* number of merged slices; 1: not merged */
};

#define VIEW_NO_FUNCTION UINT32_MAX

/* Receives slices; those of one lane and depth in order of time. */
struct slice_callback {
	void (*take)(struct slice_callback *callback,
		     const struct view_slice *slice);
};

enum lane_kind {
	LANE_CPU,   /* running threads, by CPU number */
	LANE_STATE, /* a thread's states, by thread number */
	LANE_STACK, /* a thread's calls, by thread number */
	LANE_KINDS,
};

/* Returns the lane of @kind of CPU or thread @number. */
static inline uint32_t lane_of(enum lane_kind kind, uint32_t number)
{
	return number * LANE_KINDS + (uint32_t)kind;
}

/* Bound on lane numbers: no recording has as many. */
enum { LANE_MOST = 1 << 18 };

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
	VIEW_ASLEEP,
	VIEW_NOT_ASKED,
	VIEW_GUEST,
	VIEW_UNKNOWN, /* + enum unknown_reason */
	VIEW_STATES = VIEW_UNKNOWN + 6,
};

#endif
