/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_APIC_H
#define KT_MACHINE_QEMU_APIC_H

#include <stdbool.h>

/* Whether an interrupt waits in the local APIC of this vCPU, whose struct
 * guest @machine is.
 */
bool apic_is_pending(void *machine);

#endif
