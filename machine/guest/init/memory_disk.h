/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_MEMORY_DISK_H
#define KT_MACHINE_GUEST_MEMORY_DISK_H

#include "machine/guest/init/problem.h"

/* A disk in the guest's memory whose requests take some time, measured by a
 * high-resolution timer: the kernel's null_blk
 * (Documentation/block/null_blk.rst).
 */
#define MEMORY_DISK "/dev/nullb0"

/* Creates the empty disk, at least as large as the block device @disk, with
 * delay_ms milliseconds per request. The folder of modules must be mounted.
 * Returns 0, or -1 with the problem.
 */
int memory_disk_create(const char *disk, unsigned int delay_ms,
		       struct problem *problem);

/* Copies the content of the block device @disk to it. Only nonzero data takes
 * memory. Returns 0, or -1 with the problem.
 */
int memory_disk_fill(const char *disk, struct problem *problem);

#endif
