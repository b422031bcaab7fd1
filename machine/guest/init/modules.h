/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_MODULES_H
#define KT_MACHINE_GUEST_MODULES_H

#include "machine/guest/init/problem.h"

/* Loads the modules in the list /modules/<set> of the initramfs: one file name
 * per line, each after its dependencies. Modules that are already loaded are
 * skipped. Returns 0, or -1 with the problem.
 */
int modules_load(const char *set, struct problem *problem);

/* Like modules_load(); the last module gets these parameters, as "name=value
 * ...".
 */
int modules_load_with(const char *set, const char *parameters,
		      struct problem *problem);

#endif
