/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_NETWORK_H
#define KT_MACHINE_GUEST_NETWORK_H

#include "machine/guest/init/problem.h"

/* Brings the loopback device up.  Returns 0, or -1 with the problem. */
int network_loopback(struct problem *problem);

/* Puts eth0 (10.9.0.1/24) and eth1 (10.9.0.2/24), which QEMU joins back to
 * back, into network namespaces of their own, named as ip-netns(8) names
 * them: /run/netns/left and /run/netns/right.
 * Returns 0, or -1 with the problem.
 */
int network_namespaces(struct problem *problem);

/* Gives eth0, which leads to another machine, the address of the @side that this
 * one is: 10.8.0.1/24 if "left", else 10.8.0.2/24.
 * Returns 0, or -1 with the problem.
 */
int network_link(const char *side, struct problem *problem);

#endif
