/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_CPUS_H
#define KT_MACHINE_GUEST_CPUS_H

#include "machine/guest/init/problem.h"

/* Starts the CPUs that the kernel's command line (maxcpus=) left offline.
 * Returns 0, or -1 with the problem.
 */
int cpus_start(struct problem *problem);

#endif
