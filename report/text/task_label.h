/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_LABEL_H
#define KT_REPORT_TASK_LABEL_H

#include <stdint.h>
#include <stdio.h>

struct task_names;

/* The name of a task in reports. */
struct task_label {
	char text[32];
};

/* Returns for example "ls-137"; "?" for an unknown task (-1). */
struct task_label task_label_of(const struct task_names *names, int32_t tid,
				uint64_t time_ns);

/* Like task_label_of(), with the task's last name. */
struct task_label task_label_last(const struct task_names *names, int32_t tid);

/* Write these labels as text for people (NAME_TEXT). */
void task_label_write(const struct task_names *names, int32_t tid,
		      uint64_t time_ns, FILE *out);
void task_label_write_last(const struct task_names *names, int32_t tid,
			   FILE *out);

#endif
