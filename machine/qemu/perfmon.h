/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_PERFMON_H
#define KT_MACHINE_QEMU_PERFMON_H

#include "machine/qemu/guest.h"

#include <stdbool.h>
#include <stdint.h>

/* Architectural performance monitoring, version 4 (SDM volume 3, "Architectural
 * Performance Monitoring Version 4"; volume 4 for the MSRs): counters of
 * cycles, instructions and branches, their interrupt, and the global status
 * register with the trace unit's bit "Trace_ToPA_PMI". Counters of other events
 * keep their written value and never count.
 */
enum {
	PERFMON_COUNTERS = 8,
	PERFMON_FIXED = 4,
};

/* The countable quantities. */
enum perfmon_event {
	PERFMON_CYCLES,
	PERFMON_INSTRUCTIONS,
	PERFMON_BRANCHES,
	PERFMON_FAR_BRANCHES,
	PERFMON_EVENTS,
};

/* The amount of each quantity since the CPU started. */
struct perfmon_now {
	uint64_t amount[PERFMON_EVENTS];
};

struct perfmon {
	uint64_t counter[PERFMON_COUNTERS];
	uint64_t select[PERFMON_COUNTERS];
	uint64_t fixed[PERFMON_FIXED];
	uint64_t fixed_control;
	uint64_t global_control;
	uint64_t global_status;
	bool counting; /* at least one counter counts */
	bool kernel;   /* the CPU has been in the kernel since last */
	struct perfmon_now last;
};

/* Access a performance monitoring MSR. Return false if @msr is another
 * register. perfmon_advance() must be called before.
 */
bool perfmon_read(const struct perfmon *perfmon, uint32_t msr, uint64_t *value);
bool perfmon_write(struct perfmon *perfmon, uint32_t msr, uint64_t value);

/* Returns the counter with RDPMC's @index; 0 if it does not exist. */
uint64_t perfmon_rdpmc(const struct perfmon *perfmon, uint32_t index);

/* Counts up to @now. From now on the CPU runs in the kernel if @kernel. Returns
 * true if a counter with an enabled interrupt overflowed.
 */
bool perfmon_advance(struct perfmon *perfmon, const struct perfmon_now *now,
		     bool kernel);

/* Ignores the time before @now, in which the CPU was halted. */
void perfmon_skip(struct perfmon *perfmon, const struct perfmon_now *now);

/* Raises the performance monitoring interrupt, an NMI to this CPU. */
void perfmon_interrupt(struct guest *guest);

/* Sets the status bit of a full ToPA region with INT and raises the interrupt.
 */
void perfmon_topa_interrupt(struct perfmon *perfmon, struct guest *guest);

#endif
