/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_NETWORK_H
#define KT_MACHINE_GUEST_NETWORK_H

#include "machine/guest/init/problem.h"

/* Activates the loopback device. Returns 0, or -1 with the problem. */
int network_loopback(struct problem *problem);

/* Moves eth0 (10.9.0.1/24) and eth1 (10.9.0.2/24), which QEMU connects back to
 * back, into separate network namespaces with names in the manner of
 * ip-netns(8): /run/netns/left and /run/netns/right. Returns 0, or -1 with the
 * problem.
 */
int network_namespaces(struct problem *problem);

/* Gives eth0, which is connected to another machine, the address of this
 * machine's @side: 10.8.0.1/24 if "left", otherwise 10.8.0.2/24. Returns 0, or
 * -1 with the problem.
 */
int network_link(const char *side, struct problem *problem);

#endif
