/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TARGET_H
#define KT_COLLECTOR_TARGET_H

#include "common/array.h"

#include <stdbool.h>
#include <sys/types.h>

struct log;

/* The threads and CPUs to record. */
struct target {
	bool whole_cpus;      /* everything that runs on the CPUs */
	struct array cpus;    /* int */
	struct array others;  /* int: the other online CPUs */
	struct array threads; /* pid_t: to record, unless whole_cpus */
};

struct target target_new(void);
void target_free(struct target *target);

/* Adds the online CPUs if @cpus is NULL, else the CPUs of @cpus, a list as for
 * cpu_list_parse().
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int target_add_cpus(struct target *target, const char *cpus,
		    const struct log *log);

/* Adds one thread. Returns 0 or -ERROR_MEMORY. */
int target_add_thread(struct target *target, pid_t thread);

/* Adds all current threads of process @pid.
 *
 * Returns 0, -ERROR_NOT_FOUND with a message if there is no such process, or
 * -ERROR_MEMORY.
 */
int target_add_process(struct target *target, pid_t pid, const struct log *log);

#endif
