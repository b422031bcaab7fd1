/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_TRACE_UNIT_H
#define KT_MACHINE_QEMU_TRACE_UNIT_H

#include "machine/qemu/options.h"
#include "machine/qemu/plugin_api.h"
#include "machine/qemu/vcpu.h"

#include <stdint.h>
#include <time.h>

/* The plugin: one trace unit per vCPU, and the state that connects them to the
 * guest.
 */
struct trace_unit {
	struct options options;
	struct unit_fault fault;
	struct pt_abilities abilities;
	struct qemu_plugin_scoreboard *boards;
	struct vcpu *vcpus;
	struct host_moment *moments; /* one per vCPU, or NULL */
	unsigned count;
	uint64_t start_tsc; /* of the host, to measure its frequency */
	struct timespec start_time;
};

#endif
