/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_LABEL_H
#define KT_REPORT_TASK_LABEL_H

#include <stdint.h>

struct task_names;

/* How a task is written in a report. */
struct task_label {
	char text[32];
};

/* Returns "ls-137", "?" for a task that the trace does not tell (-1). */
struct task_label task_label_of(const struct task_names *names, int32_t tid,
				uint64_t time_ns);

/* The same with its last name. */
struct task_label task_label_last(const struct task_names *names, int32_t tid);

#endif
