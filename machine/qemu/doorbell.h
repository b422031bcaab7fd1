/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_DOORBELL_H
#define KT_MACHINE_QEMU_DOORBELL_H

#include "machine/qemu/plugin_api.h"

#include <stdbool.h>

/* Makes the host's work take no guest time on the virtual clock.
 *
 * A guest that waits for its disk or for a host file is idle, and idle virtual
 * time jumps from timer to timer as fast as QEMU can process them, so the
 * elapsed guest time would be random. Therefore the vCPU is held at the store
 * that rings the device's doorbell until the device's interrupt is pending.
 *
 * Called after a 16-bit store, which is how virtio drivers ring
 * (drivers/virtio/virtio_pci_common.c, vp_notify()), to @hwaddr (NULL:
 * unknown). Returns when @is_pending(@machine) is true; immediately if @hwaddr
 * is not the doorbell of a device that works on the host's files.
 */
void doorbell_wait(const struct qemu_plugin_hwaddr *hwaddr,
		   bool (*is_pending)(void *machine), void *machine);

#endif
