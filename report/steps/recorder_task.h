/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORDER_TASK_H
#define KT_REPORT_RECORDER_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct task_names;

/* Returns whether task @tid is of the program that made the recording:
 * @command is that program's command line as recorded, "" if unknown.  It goes
 * by the task's last name, for the recorded command bears the recorder's until
 * it is executed.
 */
bool recorder_task_is(const struct task_names *names, const char *command,
		      int32_t tid);

#endif
