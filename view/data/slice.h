/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SLICE_H
#define KT_VIEW_SLICE_H

#include <stdint.h>

/* A stretch of time on a lane, as the page draws it: one call, one state of a
 * thread, or many short ones of them that were taken together.
 */
struct view_slice {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t busy_ns;  /* of the parts, without what is between */
	uint32_t lane;	   /* see lane_of() */
	uint32_t depth;	   /* of a call; else 0 */
	uint32_t name;	   /* LANE_STACK: a function; LANE_STATE: an enum
				 * view_state; LANE_CPU: a thread's number; of
				 * the longest part */
	uint32_t detail;   /* LANE_STATE: the function that it is in, or
				 * VIEW_NO_FUNCTION */
	int32_t waker_tid; /* of VIEW_ASLEEP; -1: unknown */
	uint32_t count;	   /* of parts; 1: it is just as it was */
};

#define VIEW_NO_FUNCTION UINT32_MAX

/* Takes slices; those of one lane and depth in order of time. */
struct slice_callback {
	void (*take)(struct slice_callback *callback,
		     const struct view_slice *slice);
};

enum lane_kind {
	LANE_CPU,   /* who runs on a CPU: by the CPU's number */
	LANE_STATE, /* what a thread does: by the thread's number */
	LANE_STACK, /* its calls: likewise */
	LANE_KINDS,
};

/* The lane of @kind that belongs to CPU or thread @number. */
static inline uint32_t lane_of(enum lane_kind kind, uint32_t number)
{
	return number * LANE_KINDS + (uint32_t)kind;
}

/* Lanes from here on are in no recording. */
enum { LANE_MOST = 1 << 18 };

/* This is what a thread does: the classes of attribution/time/time_span.h but
 * the tracer's, which is the kernel's here, with each reason of the unknown
 * one a state of its own.
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
