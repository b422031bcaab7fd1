/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_LABEL_H
#define KT_REPORT_TASK_LABEL_H

#include <stdint.h>
#include <stdio.h>

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

/* Each writes that label as text for people (NAME_TEXT). */
void task_label_write(const struct task_names *names, int32_t tid,
		      uint64_t time_ns, FILE *out);
void task_label_write_last(const struct task_names *names, int32_t tid,
			   FILE *out);

#endif
