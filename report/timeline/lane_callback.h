/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_LANE_CALLBACK_H
#define KT_REPORT_LANE_CALLBACK_H

#include "report/timeline/span.h"

#include <stdbool.h>
#include <stdint.h>

/* A row beside the functions of a thread, or of a CPU. */
struct lane {
	enum span_track_kind kind;
	const struct task *task; /* NULL for a CPU's */
	uint32_t cpu;
};

/* sched_waking, or sched_wakeup_new, as the kernel told it. */
struct lane_waking {
	uint64_t time_ns;
	uint32_t cpu; /* where the waker ran */
	int32_t waker_tid;
	int32_t tid;
	uint32_t flags; /* common_flags of its record; 0: unknown */
	bool is_new;
};

/* A thread that was woken had slept in a function. */
struct lane_blocked {
	uint64_t time_ns; /* when it was woken */
	int32_t tid;
	uint32_t function;
};

/* This is what a timeline's format takes beside the steps, from who knows more
 * than they tell.  Spans of a lane nest.  They need not come by time: those
 * who read the file sort them.
 */
struct lane_callback {
	void (*begin)(struct lane_callback *callback, const struct lane *lane,
		      const struct span *span);
	void (*end)(struct lane_callback *callback, const struct lane *lane,
		    uint64_t time_ns);
	void (*mark)(struct lane_callback *callback, const struct lane *lane,
		     const struct span *span);
	void (*waking)(struct lane_callback *callback,
		       const struct lane_waking *waking);
	void (*blocked)(struct lane_callback *callback,
			const struct lane_blocked *blocked);
};

#endif
