/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_GIC_H
#define KT_MACHINE_QEMU_ARM_GIC_H

#include "machine/qemu/guest.h"

#include <stdbool.h>

/* The interrupt controller (GICv3) of QEMU's virt machine (hw/arm/virt.c). */

/* The trace buffer's interrupt becomes pending at vCPU @index, which this is.
 */
void gic_raise_trace_buffer(struct guest *guest, unsigned index);

/* Returns whether a PCI device's interrupt waits; @machine is a struct guest.
 */
bool gic_device_is_pending(void *machine);

#endif
