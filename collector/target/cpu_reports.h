/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CPU_REPORTS_H
#define KT_COLLECTOR_CPU_REPORTS_H

#include <stdbool.h>

struct array;

/* The kernel's reports that CPUs came online: uevents of their devices, by
 * netlink. The kernel sends one after the CPU is up, also after a suspend
 * (kernel/cpu.c, drivers/base/core.c). Only the kernel and root can send to this
 * socket.
 */

/* Starts to listen. Returns a descriptor that is readable if reports of any
 * device are pending; -1 with errno if that is impossible.
 */
int cpu_reports_open(void);

/* Reads all pending reports of descriptor @fd; -1: there are none. Appends the
 * CPUs to @cpus (int), one for each report. Sets *@is_lost if the kernel dropped
 * reports, because too many were pending.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int cpu_reports_read(int fd, struct array *cpus, bool *is_lost);

#endif
