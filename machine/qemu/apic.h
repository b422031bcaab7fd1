/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_APIC_H
#define KT_MACHINE_QEMU_APIC_H

#include <stdbool.h>

/* Returns whether a device's interrupt waits in the local APIC of this vCPU,
 * whose struct guest @machine is; others, such as the APIC's own timer's, may
 * wait beside it.
 */
bool apic_device_is_pending(void *machine);

#endif
