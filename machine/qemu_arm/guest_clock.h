/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_GUEST_CLOCK_H
#define KT_MACHINE_QEMU_ARM_GUEST_CLOCK_H

#include "machine/arm_ete/encoder.h"

#include <stdbool.h>
#include <stdint.h>

/* The guest's generic timer, which counts nanoseconds here, known without
 * asking the guest.
 *
 * Virtual clock (-icount shift=0, one vCPU): it counts instructions, and jumps
 * while the CPU waits.  Every time that the guest reads it the value is known
 * exactly; from there instructions are counted, until the next wait.  Then
 * nothing is known until the guest reads it again, which it does first thing
 * when it is idle no more.
 *
 * Host clock (several vCPUs): it is the host's monotonic clock plus a
 * constant, known to lie in an interval that every reading narrows.
 */
struct guest_clock {
	bool host;
	bool known;
	const uint64_t *retired; /* instructions, this vCPU */
	uint64_t base;
	uint64_t base_retired;
	uint64_t read_retired; /* at the reading under way */
	uint64_t read_host;
	int64_t host_offset_low, host_offset_high;
	uint64_t last; /* what now() said last */
};

/* @retired: counts the instructions this vCPU has begun; outlives @clock. */
void guest_clock_init(struct guest_clock *clock, bool host,
		      const uint64_t *retired);

struct ete_time guest_clock_now(struct guest_clock *clock);

/* Around each reading: before it, and at the next instruction with its value.
 */
void guest_clock_before_reading(struct guest_clock *clock);
void guest_clock_after_reading(struct guest_clock *clock, uint64_t value);

/* The CPU is about to wait for an interrupt or an event. */
void guest_clock_wait(struct guest_clock *clock);

#endif
