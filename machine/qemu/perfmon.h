/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_PERFMON_H
#define KT_MACHINE_QEMU_PERFMON_H

#include "machine/qemu/guest.h"

#include <stdbool.h>
#include <stdint.h>

/* As much of architectural performance monitoring as the trace unit's
 * interrupt needs: the guest's driver finds counters that hold what is
 * written to them and never count, and the global status register with the
 * "Trace_ToPA_PMI" bit (SDM volume 3, "Architectural Performance Monitoring
 * Version 4"; volume 4 for the MSRs).
 */
enum {
	PERFMON_COUNTERS = 8,
	PERFMON_FIXED = 4,
};

struct perfmon {
	uint64_t counter[PERFMON_COUNTERS];
	uint64_t select[PERFMON_COUNTERS];
	uint64_t fixed[PERFMON_FIXED];
	uint64_t fixed_control;
	uint64_t global_control;
	uint64_t global_status;
};

/* Return false if @msr is not one of these. */
bool perfmon_read(const struct perfmon *perfmon, uint32_t msr, uint64_t *value);
bool perfmon_write(struct perfmon *perfmon, uint32_t msr, uint64_t value);

/* A ToPA region with INT is full: status bit, and an NMI to this CPU. */
void perfmon_topa_interrupt(struct perfmon *perfmon, struct guest *guest);

#endif
