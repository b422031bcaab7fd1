/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_WAKEUPS_H
#define KT_REPORT_PERFETTO_WAKEUPS_H

#include "common/array.h"
#include "report/timeline/lane_callback.h"

struct perfetto_out;
struct task_names;

/* Writes wake-ups as ftrace's sched_waking, sched_wakeup_new and
 * sched_blocked_reason, from which Perfetto finds a thread's waker, its wait
 * for a CPU, and the function that it slept in.
 */
struct perfetto_wakeups {
	struct perfetto_out *out;	/* borrowed */
	const struct task_names *names; /* borrowed */
	struct array symbols; /* bool by function: its name is written */
	/* the sequence of sched_blocked_reason has started */
	bool has_begun;
	int status; /* 0, or -ERROR_MEMORY */
};

struct perfetto_wakeups perfetto_wakeups_of(struct perfetto_out *out,
					    const struct task_names *names);

void perfetto_wakeups_take(struct perfetto_wakeups *wakeups,
			   const struct lane_waking *waking);

/* @name is the name of the function slept in. */
void perfetto_wakeups_blocked(struct perfetto_wakeups *wakeups,
			      const struct lane_blocked *blocked,
			      const char *name);

/* Frees all.  Returns the status. */
int perfetto_wakeups_end(struct perfetto_wakeups *wakeups);

#endif
