/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_WORKLOAD_H
#define KT_COLLECTOR_WORKLOAD_H

#include <sys/types.h>

/* A command that waits to be told to begin. */
struct workload {
	pid_t pid;
	int go;	     /* says that it may begin */
	int failure; /* yields errno if exec fails */
};

/* Forks a process that will run @argv (ended by NULL) by execvp(3), or end if
 * the caller dies before it lets it begin.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int workload_prepare(struct workload *workload, char *const *argv);

/* Lets the command begin.
 *
 * Returns 0 once it runs, or the errno of exec; the process ends then.
 */
int workload_start(struct workload *workload);

/* Ends a command that was not started, and forgets it. */
void workload_abandon(struct workload *workload);

#endif
