/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TARGET_H
#define KT_COLLECTOR_TARGET_H

#include "common/array.h"

#include <stdbool.h>
#include <sys/types.h>

struct log;

/* Whose execution is recorded, and where. */
struct target {
	bool whole_cpus;      /* everything that runs there */
	struct array cpus;    /* int */
	struct array others;  /* int: the other CPUs that are online */
	struct array threads; /* pid_t; none if whole_cpus */
};

struct target target_new(void);
void target_free(struct target *target);

/* Takes the CPUs that are online, or those of @cpus, a list as for
 * cpu_list_parse(), or NULL.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int target_add_cpus(struct target *target, const char *cpus,
		    const struct log *log);

/* Takes one thread.  Returns 0 or -ERROR_MEMORY. */
int target_add_thread(struct target *target, pid_t thread);

/* Takes all threads that process @pid has now.
 *
 * Returns 0, -ERROR_NOT_FOUND with a message if there is no such process, or
 * -ERROR_MEMORY.
 */
int target_add_process(struct target *target, pid_t pid, const struct log *log);

#endif
