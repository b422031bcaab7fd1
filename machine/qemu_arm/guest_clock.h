/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_GUEST_CLOCK_H
#define KT_MACHINE_QEMU_ARM_GUEST_CLOCK_H

#include "machine/arm_ete/encoder.h"

#include <stdbool.h>
#include <stdint.h>

/* The guest's generic timer, which counts nanoseconds, determined without
 * executing guest code.
 *
 * Virtual clock (-icount shift=0, one vCPU): the timer counts instructions and
 * jumps while the CPU waits. Each time the guest reads it, the exact value is
 * known; from there instructions are counted until the next wait. After a wait
 * the time is unknown until the guest reads the timer, which it does first.
 *
 * Host clock (several vCPUs): the timer is the host's monotonic clock plus a
 * constant, which is known to be in an interval that every reading narrows.
 */
struct guest_clock {
	bool host;
	bool known;
	const uint64_t *retired; /* instructions of this vCPU */
	uint64_t base;
	uint64_t base_retired;
	uint64_t read_retired; /* at the current reading */
	uint64_t read_host;
	int64_t host_offset_low, host_offset_high;
	uint64_t last; /* the last result of guest_clock_now() */
};

/* @retired counts the instructions that this vCPU has started; it must outlive
 * @clock.
 */
void guest_clock_init(struct guest_clock *clock, bool host,
		      const uint64_t *retired);

/* Returns the timer's current value, or if that is unknown its last known
 * value, and the number of cycles. The value does not decrease, unless the
 * machine stood still while its state was saved.
 */
struct ete_time guest_clock_now(struct guest_clock *clock);

/* Called around each reading: before it, and at the next instruction with its
 * value.
 */
void guest_clock_before_reading(struct guest_clock *clock);
void guest_clock_after_reading(struct guest_clock *clock, uint64_t value);

/* Reports that the CPU is about to wait for an interrupt or an event. */
void guest_clock_wait(struct guest_clock *clock);

#endif
