/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_MEMORY_DISK_H
#define KT_MACHINE_GUEST_MEMORY_DISK_H

#include "machine/guest/init/problem.h"

/* A disk in the guest's memory of which each request takes some time, by a
 * high-resolution timer: the kernel's null_blk (Documentation/block/null_blk.rst).
 */
#define MEMORY_DISK "/dev/nullb0"

/* Makes it, empty, as large as the block device `disk` or larger; each request
 * takes delay_ms milliseconds.  The folder of modules must be there.
 * Returns 0, or -1 with the problem.
 */
int memory_disk_create(const char *disk, unsigned int delay_ms,
		       struct problem *problem);

/* Copies what is on the block device `disk` to it, which takes memory for what is
 * not zero.
 * Returns 0, or -1 with the problem.
 */
int memory_disk_fill(const char *disk, struct problem *problem);

#endif
