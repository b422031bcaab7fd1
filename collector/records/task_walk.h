/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TASK_WALK_H
#define KT_COLLECTOR_TASK_WALK_H

#include <sys/types.h>

/* Shows all threads that /proc has, a process's first and then, if @process is
 * not NULL, the process itself.  What ends meanwhile may be missing.
 */
void task_walk(void (*thread)(void *ctx, pid_t process, pid_t thread),
	       void (*process)(void *ctx, pid_t process), void *ctx);

#endif
