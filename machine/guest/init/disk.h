/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_DISK_H
#define KT_MACHINE_GUEST_DISK_H

#include "machine/guest/init/problem.h"

/* Mounts the scratch disk, which the host formatted (ext4), at /scratch.
 * Returns 0, or -1 with the problem.
 */
int disk_mount(struct problem *problem);

#endif
