/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TARGET_CPU_LIST_H
#define KT_COLLECTOR_TARGET_CPU_LIST_H

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

/* The kernel's reports that CPUs came online: uevents of their devices, by
 * netlink. The kernel sends one after the CPU is up, also after a suspend
 * (kernel/cpu.c, drivers/base/core.c). Only the kernel and root can send to
 * this socket.
 */

/* Starts to listen. Returns a descriptor that is readable if reports of any
 * device are pending; -1 with errno if that is impossible.
 */
int cpu_reports_open(void);

/* Reads all pending reports of descriptor @fd; -1: there are none. Appends the
 * CPUs to @cpus (int), one for each report. Sets *@is_lost if the kernel
 * dropped reports, because too many were pending.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int cpu_reports_read(int fd, struct array *cpus, bool *is_lost);

#endif
