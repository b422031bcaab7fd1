/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_DISK_H
#define KT_MACHINE_GUEST_DISK_H

#include "machine/guest/init/problem.h"

/* From so many milliseconds on dm-delay waits by a timer; for less it looks at
 * the time all the while (drivers/md/dm-delay.c, delay_ctr()), in jiffies.
 */
enum { DISK_DM_DELAY_MS = 50 };

/* Loads what the scratch disk needs, of which each request takes delay_ms
 * milliseconds of guest time, 0 for none: from DISK_DM_DELAY_MS on the kernel's
 * own dm-delay holds it back before the disk gets it; less is exact, on a copy of
 * the disk in memory (memory_disk.h).  The folder of modules must be there.
 * Returns 0, or -1 with the problem.
 */
int disk_load(unsigned int delay_ms, struct problem *problem);

/* Mounts that disk, which the host formatted (ext4), at /scratch.
 * Returns 0, or -1 with the problem.
 */
int disk_mount(unsigned int delay_ms, struct problem *problem);

#endif
