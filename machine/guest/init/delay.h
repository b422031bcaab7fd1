/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_DELAY_H
#define KT_MACHINE_GUEST_DELAY_H

#include "machine/guest/init/problem.h"

/* Creates a device-mapper device with target "delay" above the block device
 * @disk (Documentation/admin-guide/device-mapper/delay.rst), for reads and
 * writes. Sets *@node to its path in /dev. Loads the modules. Returns 0, or -1
 * with the problem.
 */
int delay_create(const char *disk, unsigned int delay_ms, const char **node,
		 struct problem *problem);

#endif
