/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_DEADLINE_H
#define KT_MACHINE_QEMU_DEADLINE_H

#include "machine/intel_pt/cpuid.h"
#include "machine/qemu/guest.h"

#include <stdbool.h>
#include <stdint.h>

/* The local APIC timer's TSC-deadline mode, and what CPUID says of the clocks
 * (SDM volume 3, "TSC-Deadline Mode"; volume 2, CPUID leaves 01H, 15H, 16H).
 *
 * QEMU's emulated CPUs have neither, so a kernel would spend half of its start
 * measuring the timer against other clocks, one instruction per nanosecond.
 * On the virtual clock both are exact: the TSC runs at 1 GHz as the APIC timer
 * does, and the crystal at PT_TSC_DENOMINATOR / DEADLINE_TSC_NUMERATOR of that.
 */
enum { DEADLINE_TSC_NUMERATOR = 80 };

struct deadline {
	uint64_t tsc; /* when the timer fires, 0: not armed */
};

/* CPUID leaves as pt_cpuid() has them, on the virtual clock. */
void deadline_cpuid(uint32_t leaf, struct cpuid_result *result);

/* Return false if @msr is not IA32_TSC_DEADLINE.  @now is the TSC.
 *
 * Writing reaches a device that asks for the time: only in a callback of a
 * block's last instruction, which wrmsr always is (else QEMU stops with "Bad
 * icount read").
 */
bool deadline_read(const struct deadline *deadline, uint32_t msr, uint64_t now,
		   uint64_t *value);
bool deadline_write(struct deadline *deadline, struct guest *guest,
		    uint32_t msr, uint64_t value, uint64_t now);

#endif
