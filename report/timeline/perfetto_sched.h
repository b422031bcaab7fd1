/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_SCHED_H
#define KT_REPORT_PERFETTO_SCHED_H

#include "common/array.h"
#include "report/steps/call_step.h"

struct perfetto_out;
struct task_names;

/* Writes task switches as ftrace's sched_switch, from which Perfetto makes the
 * tracks of CPUs and the states of threads.
 */
struct perfetto_sched {
	struct perfetto_out *out;	/* borrowed */
	const struct task_names *names; /* borrowed */
	struct array cpus;		/* struct cpu_runs */
	int status;			/* 0, or -ERROR_MEMORY */
};

struct perfetto_sched perfetto_sched_of(struct perfetto_out *out,
					const struct task_names *names);

/* Applies a STEP_SWITCH, STEP_LEAVE or STEP_END. */
void perfetto_sched_take(struct perfetto_sched *sched,
			 const struct call_step *step);

/* Frees all.  Returns the status. */
int perfetto_sched_end(struct perfetto_sched *sched);

#endif
