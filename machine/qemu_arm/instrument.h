/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_INSTRUMENT_H
#define KT_MACHINE_QEMU_ARM_INSTRUMENT_H

#include "machine/qemu_arm/trace_unit.h"

/* Registers the callbacks that @tb needs when it executes: for everything that
 * the trace units have to observe or emulate.
 */
void instrument_block(struct trace_unit *plugin, struct qemu_plugin_tb *tb);

#endif
