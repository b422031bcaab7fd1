/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_MODULES_H
#define KT_MACHINE_GUEST_MODULES_H

#include "machine/guest/init/problem.h"

/* Loads the modules that the list /modules/<set> of the initramfs names, one
 * file name a line, each after those it needs.  A module that is already there
 * is none the worse.
 * Returns 0, or -1 with the problem.
 */
int modules_load(const char *set, struct problem *problem);

/* The same, and the last of them gets these parameters, as "name=value ...". */
int modules_load_with(const char *set, const char *parameters,
		      struct problem *problem);

#endif
