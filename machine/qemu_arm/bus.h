/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_BUS_H
#define KT_MACHINE_QEMU_ARM_BUS_H

#include "machine/qemu_arm/vcpu.h"

/* How the trace buffer of @vcpu reaches the guest's memory and interrupts.
 *
 * With @dump_dir, what is written also goes to the file trace.<cpu> there.
 * Ends the program with a message if that cannot be written.
 */
void bus_init(struct ete_bus *bus, struct vcpu *vcpu, const char *dump_dir);

/* The run is over: the file is complete. */
void bus_close(struct vcpu *vcpu);

#endif
