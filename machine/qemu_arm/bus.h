/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_BUS_H
#define KT_MACHINE_QEMU_ARM_BUS_H

#include "machine/qemu_arm/vcpu.h"

/* Sets up the trace buffer's access to the guest's memory and interrupts for
 * @vcpu.
 *
 * With @dump_dir, the output is also written to the file trace.<cpu> there.
 * Ends the program with a message if that file cannot be written.
 */
void bus_init(struct ete_bus *bus, struct vcpu *vcpu, const char *dump_dir);

/* Completes the dump file at the end of the run. */
void bus_close(struct vcpu *vcpu);

#endif
