/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_PORT_H
#define KT_MACHINE_GUEST_PORT_H

#include "machine/guest/init/problem.h"

/* Finds the virtio-serial port "ktrace.channel" and waits until the host has
 * opened its end. Returns a non-blocking file descriptor, or -1 with the
 * problem.
 */
int port_open(struct problem *problem);

#endif
