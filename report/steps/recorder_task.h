/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORDER_TASK_H
#define KT_REPORT_RECORDER_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct task_names;

/* Returns whether task @tid belongs to the program that made the recording:
 * @command is that program's command line as recorded, "" if unknown. Decided
 * by the task's last name, since the recorded command has the recorder's name
 * until exec.
 */
bool recorder_task_is(const struct task_names *names, const char *command,
		      int32_t tid);

#endif
