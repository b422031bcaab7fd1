/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_DELAY_H
#define KT_MACHINE_GUEST_DELAY_H

#include "machine/guest/init/problem.h"

/* Puts a device-mapper device of target "delay" over the block device `disk`
 * (Documentation/admin-guide/device-mapper/delay.rst), read and write alike.
 * `node` becomes its name in /dev.  The modules are loaded.
 * Returns 0, or -1 with the problem.
 */
int delay_create(const char *disk, unsigned int delay_ms, const char **node,
		 struct problem *problem);

#endif
