/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_TRACE_UNIT_H
#define KT_MACHINE_QEMU_ARM_TRACE_UNIT_H

#include "machine/qemu/options.h"
#include "machine/qemu/plugin_api.h"
#include "machine/qemu_arm/vcpu.h"

/* The plugin: one trace unit per vCPU, and the state that connects them to the
 * guest.
 */
struct trace_unit {
	struct options options;
	struct unit_fault fault;
	unsigned removed; /* abilities: see arm_ete/registers.h */
	struct qemu_plugin_scoreboard *boards;
	struct vcpu *vcpus;
	unsigned count;
};

#endif
