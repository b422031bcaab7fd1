/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_INSTRUMENT_H
#define KT_MACHINE_QEMU_ARM_INSTRUMENT_H

#include "machine/qemu_arm/trace_unit.h"

/* QEMU translates @tb: asks it to call, when the block executes, for all that
 * the trace units have to see or to stand in for.
 */
void instrument_block(struct trace_unit *plugin, struct qemu_plugin_tb *tb);

#endif
