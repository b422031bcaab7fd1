/* SPDX-License-Identifier: MIT */
#include "report/steps/recorder_task.h"

#include "report/text/task_names.h"

#include <string.h>

/* Maximum length of a task's name in the kernel (TASK_COMM_LEN includes the
 * NUL).
 */
enum { COMM_LENGTH = 15 };

bool recorder_task_is(const struct task_names *names, const char *command,
		      int32_t tid)
{
	const char *comm = task_names_last(names, tid);
	size_t length = strcspn(command, " ");
	const char *name = command + length;

	while (name > command && name[-1] != '/')
		name--;
	length -= (size_t)(name - command);
	if (length > COMM_LENGTH)
		length = COMM_LENGTH;
	return length && tid > 0 && strlen(comm) == length &&
	       !memcmp(comm, name, length);
}
