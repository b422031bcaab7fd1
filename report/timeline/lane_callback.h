/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_LANE_CALLBACK_H
#define KT_REPORT_LANE_CALLBACK_H

#include "report/timeline/span.h"

#include <stdbool.h>
#include <stdint.h>

/* A track beside the functions of a thread, or of a CPU. */
struct lane {
	enum span_track_kind kind;
	const struct task *task; /* NULL for a CPU */
	uint32_t cpu;
};

/* sched_waking, or sched_wakeup_new, as recorded. */
struct lane_waking {
	uint64_t time_ns;
	uint32_t cpu; /* of the waker */
	int32_t waker_tid;
	int32_t tid;
	uint32_t flags; /* common_flags of its record; 0: unknown */
	bool is_new;
};

/* The function in which a thread slept before a wake-up. */
struct lane_blocked {
	uint64_t time_ns; /* time of the wake-up */
	int32_t tid;
	uint32_t function;
};

/* Receives spans and events that a timeline format shows beside the call
 * events; their emitters know more than call events contain. Spans of a track
 * nest. They need not be in order of time: viewers sort them.
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
