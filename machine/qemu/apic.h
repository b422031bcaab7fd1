/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_APIC_H
#define KT_MACHINE_QEMU_APIC_H

#include <stdbool.h>

/* Returns whether a device's interrupt is pending in the local APIC of this
 * vCPU. @machine is its struct guest. Other interrupts, for example of the
 * APIC's own timer, are ignored.
 */
bool apic_device_is_pending(void *machine);

#endif
