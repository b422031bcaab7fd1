/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_BUS_H
#define KT_MACHINE_QEMU_BUS_H

#include "machine/qemu/vcpu.h"

/* How the trace unit of @vcpu reaches the guest's memory and interrupts.
 *
 * With @dump_dir, what the unit writes also goes to the file trace.@index
 * there.  Ends the program with a message if that cannot be written.
 */
void bus_init(struct pt_bus *bus, struct vcpu *vcpu, const char *dump_dir,
	      unsigned index);

/* The run is over: the file is complete. */
void bus_close(struct vcpu *vcpu);

#endif
