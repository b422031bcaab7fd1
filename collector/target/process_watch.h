/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PROCESS_WATCH_H
#define KT_COLLECTOR_PROCESS_WATCH_H

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

#endif
