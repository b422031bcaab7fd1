/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CPU_LIST_H
#define KT_COLLECTOR_CPU_LIST_H

#include <stdbool.h>

struct array;

/* Parses a list such as "0-3,7" into @cpus, an array of int, ascending, without
 * duplicates.
 *
 * Returns 0, -ERROR_FORMAT or -ERROR_MEMORY.
 */
int cpu_list_parse(const char *text, struct array *cpus);

/* Reads the CPUs that are online into @cpus.
 *
 * Returns 0 or a negative enum error.
 */
int cpu_list_online(struct array *cpus);

/* Returns whether @cpu is in @cpus. */
bool cpu_list_has(const struct array *cpus, int cpu);

#endif
