/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_GIC_H
#define KT_MACHINE_QEMU_ARM_GIC_H

#include "machine/qemu/guest.h"

#include <stdbool.h>

/* The interrupt controller (GICv3) of QEMU's virt machine (hw/arm/virt.c). */

/* Makes the trace buffer's interrupt pending at vCPU @index. Must be called on
 * that vCPU.
 */
void gic_raise_trace_buffer(struct guest *guest, unsigned index);

/* Returns whether a PCI device's interrupt is pending. @machine is a struct
 * guest.
 */
bool gic_device_is_pending(void *machine);

#endif
