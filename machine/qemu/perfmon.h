/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_PERFMON_H
#define KT_MACHINE_QEMU_PERFMON_H

#include "machine/qemu/guest.h"

#include <stdbool.h>
#include <stdint.h>

/* Architectural performance monitoring, version 4 (SDM volume 3,
 * "Architectural Performance Monitoring Version 4"; volume 4 for the MSRs):
 * counters of cycles and of instructions, their interrupt, and the global
 * status register with the trace unit's bit "Trace_ToPA_PMI".  Counters of
 * other events hold what is written to them and never count.
 */
enum {
	PERFMON_COUNTERS = 8,
	PERFMON_FIXED = 4,
};

/* This is what there is to count: since the CPU started. */
struct perfmon_now {
	uint64_t cycles;
	uint64_t instructions;
};

struct perfmon {
	uint64_t counter[PERFMON_COUNTERS];
	uint64_t select[PERFMON_COUNTERS];
	uint64_t fixed[PERFMON_FIXED];
	uint64_t fixed_control;
	uint64_t global_control;
	uint64_t global_status;
	bool counting; /* some counter does */
	bool kernel;   /* what has run since @last */
	struct perfmon_now last;
};

/* Return false if @msr is not one of these.  Call perfmon_advance() before. */
bool perfmon_read(const struct perfmon *perfmon, uint32_t msr, uint64_t *value);
bool perfmon_write(struct perfmon *perfmon, uint32_t msr, uint64_t value);

/* The counter that RDPMC names by @index; 0 if there is none. */
uint64_t perfmon_rdpmc(const struct perfmon *perfmon, uint32_t index);

/* Counts up to @now, from where on the CPU runs in the kernel or not.  Returns
 * true if a counter overflowed that asks for an interrupt.
 */
bool perfmon_advance(struct perfmon *perfmon, const struct perfmon_now *now,
		     bool kernel);

/* What is before @now does not count: the CPU was halted. */
void perfmon_skip(struct perfmon *perfmon, const struct perfmon_now *now);

/* The performance monitoring interrupt: an NMI to this CPU. */
void perfmon_interrupt(struct guest *guest);

/* A ToPA region with INT is full: status bit, and the interrupt. */
void perfmon_topa_interrupt(struct perfmon *perfmon, struct guest *guest);

#endif
