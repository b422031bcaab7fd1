/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TARGET_WORKLOAD_H
#define KT_COLLECTOR_TARGET_WORKLOAD_H

#include "common/array.h"

#include <sys/types.h>

/* Processes whose ends are awaited. */
struct process_watch {
	struct array fds; /* int: readable when its process has ended */
};

#define PROCESS_WATCH_EMPTY ((struct process_watch){ .fds = ARRAY_OF(int) })

/* Adds process @pid, unless it has ended.
 *
 * Returns 0, -ERROR_SYSTEM with errno set, or -ERROR_MEMORY.
 */
int process_watch_add(struct process_watch *watch, pid_t pid);

void process_watch_free(struct process_watch *watch);

/* A forked command that waits for permission to start. */
struct workload {
	pid_t pid;
	int go;	     /* written to start the command */
	int failure; /* yields errno if exec fails */
};

/* Forks a process that will run @argv (terminated by NULL) by execvp(3). The
 * process ends if the caller dies before workload_start().
 *
 * Returns 0, or -ERROR_SYSTEM with errno set. The caller calls
 * workload_abandon() after an error, too.
 */
int workload_prepare(struct workload *workload, char *const *argv);

/* Starts the command.
 *
 * Returns 0 once it runs (or was killed), or the errno of exec; the process ends
 * then.
 */
int workload_start(struct workload *workload);

/* Kills a command that was not started, and closes the descriptors of
 * @workload.
 */
void workload_abandon(struct workload *workload);

#endif
