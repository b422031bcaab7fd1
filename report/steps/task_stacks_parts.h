/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_STACKS_PARTS_H
#define KT_REPORT_TASK_STACKS_PARTS_H

#include "common/array.h"
#include "report/steps/cpu_context.h"
#include "report/steps/task_end.h"
#include "report/steps/task_stacks.h"
#include "report/steps/thread_map.h"

/* The inside of task_stacks.h, shared by its files. */
struct task_stacks {
	struct time_window window;
	struct step_callback *callback;
	struct thread_map tasks;
	struct array cpus; /* struct cpu_context */
	uint64_t last_ns;  /* of the newest event */
	struct task_end end;
};

#endif
