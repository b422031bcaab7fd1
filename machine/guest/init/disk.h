/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_DISK_H
#define KT_MACHINE_GUEST_DISK_H

#include "machine/guest/init/problem.h"

/* From this many milliseconds on dm-delay waits with a timer. Below, it polls
 * the time in jiffies (drivers/md/dm-delay.c, delay_ctr()).
 */
enum { DISK_DM_DELAY_MS = 50 };

/* Loads the modules of the scratch disk, whose requests take delay_ms
 * milliseconds of guest time, 0 for none. From DISK_DM_DELAY_MS on, the
 * kernel's dm-delay holds requests before they reach the disk. Smaller delays
 * are exact, on a copy of the disk in memory (memory_disk.h). The folder of
 * modules must be mounted. Returns 0, or -1 with the problem.
 */
int disk_load(unsigned int delay_ms, struct problem *problem);

/* Mounts that disk, formatted by the host (ext4), at /scratch. Returns 0, or -1
 * with the problem.
 */
int disk_mount(unsigned int delay_ms, struct problem *problem);

#endif
