/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_DEADLINE_H
#define KT_MACHINE_QEMU_DEADLINE_H

#include "machine/intel_pt/cpuid.h"
#include "machine/qemu/guest.h"

#include <stdbool.h>
#include <stdint.h>

/* The TSC-deadline mode of the local APIC's timer, and the clock rates in CPUID
 * (SDM volume 3, "TSC-Deadline Mode"; volume 2, CPUID leaves 01H, 15H, 16H).
 *
 * QEMU's emulated CPUs have neither. Without them a kernel would spend half of
 * its start measuring the timer against other clocks, at one instruction per
 * nanosecond. On the virtual clock the rates are exact: the TSC and the APIC
 * timer run at 1 GHz, and the crystal at PT_TSC_DENOMINATOR /
 * DEADLINE_TSC_NUMERATOR of that.
 */
enum { DEADLINE_TSC_NUMERATOR = 80 };

struct deadline {
	uint64_t tsc; /* TSC at which the timer fires; 0: not armed */
};

/* Sets the CPUID leaves of pt_cpuid() for the virtual clock. */
void deadline_cpuid(uint32_t leaf, struct cpuid_result *result);

/* Access IA32_TSC_DEADLINE. Return false if @msr is another register. @now is
 * the TSC.
 *
 * Writing accesses a device that reads the time. QEMU allows this only in the
 * callback of a block's last instruction (otherwise it stops with "Bad icount
 * read"); wrmsr always is the last instruction.
 */
bool deadline_read(const struct deadline *deadline, uint32_t msr, uint64_t now,
		   uint64_t *value);
bool deadline_write(struct deadline *deadline, struct guest *guest,
		    uint32_t msr, uint64_t value, uint64_t now);

#endif
