/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TASK_WALK_H
#define KT_COLLECTOR_TASK_WALK_H

#include <sys/types.h>

/* Calls @thread for all threads in /proc, and after the threads of a process
 * @process for the process itself; either may be NULL. May miss tasks that end
 * during the walk.
 */
void task_walk(void (*thread)(void *ctx, pid_t process, pid_t thread),
	       void (*process)(void *ctx, pid_t process), void *ctx);

#endif
