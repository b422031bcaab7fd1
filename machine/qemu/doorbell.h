/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_DOORBELL_H
#define KT_MACHINE_QEMU_DOORBELL_H

#include "machine/qemu/plugin_api.h"

#include <stdbool.h>

/* On the virtual clock the host's work takes no guest time.
 *
 * A guest that waits for its disk or for a file of the host is idle, and idle
 * virtual time jumps from timer to timer as fast as QEMU can go, until the
 * host has answered: how much of it passes is chance.  So the vCPU is held
 * where it rang the device's doorbell until the device's interrupt is
 * pending.
 *
 * A 16-bit store, by which virtio drivers ring (drivers/virtio/
 * virtio_pci_common.c, vp_notify()), was executed and went to @hwaddr (NULL:
 * unknown): returns when @is_pending(@machine), or at once if it is no device
 * that works for the guest on the host's files.
 */
void doorbell_wait(const struct qemu_plugin_hwaddr *hwaddr,
		   bool (*is_pending)(void *machine), void *machine);

#endif
