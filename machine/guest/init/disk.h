/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_DISK_H
#define KT_MACHINE_GUEST_DISK_H

#include "machine/guest/init/problem.h"

/* Mounts the scratch disk, which the host formatted (ext4), at /scratch.
 *
 * Each request takes delay_ms milliseconds of guest time, 0 for none: the
 * kernel's own dm-delay holds it back by a timer before the disk gets it.
 * Returns 0, or -1 with the problem.
 */
int disk_mount(unsigned int delay_ms, struct problem *problem);

#endif
