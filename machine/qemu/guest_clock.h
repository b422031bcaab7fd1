/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_GUEST_CLOCK_H
#define KT_MACHINE_QEMU_GUEST_CLOCK_H

#include "machine/qemu/guest.h"
#include "machine/unit/host_moments.h"

#include <stdbool.h>
#include <stdint.h>

/* The guest's time stamp counter, determined without executing guest code.
 *
 * Virtual clock (-icount shift=0, one vCPU): the TSC counts instructions and
 * jumps while the CPU is halted. Each rdtsc that the guest executes gives the
 * exact value; from there instructions are counted. After a halt the time is
 * read from the HPET, which runs on the same virtual clock with 10 ns ticks.
 *
 * Host clock (several vCPUs): the TSC is the host's plus a constant, which is
 * known to be in an interval that every rdtsc narrows.
 */
struct guest_clock {
	bool host;
	const uint64_t *retired; /* instructions of this vCPU */
	uint64_t base_tsc;
	uint64_t base_retired;
	uint64_t rdtsc_retired;	    /* at the current rdtsc */
	uint64_t rdtsc_host;	    /* the host's TSC before the rdtsc */
	struct host_moment *moment; /* the ground truth's reading, or NULL */
	/* that reading for the current block; 0: none */
	uint64_t shared_host;
	int64_t host_offset_low, host_offset_high;
	uint64_t hpet_offset; /* TSC - HPET time, smallest seen */
	bool hpet_known;
	bool exact;    /* no halt since the last rdtsc */
	bool halted;   /* the time has stood still since a halt */
	uint64_t last; /* the last result of guest_clock_now() */
};

/* @retired counts the instructions that this vCPU has started; it must outlive
 * @clock.
 */
void guest_clock_init(struct guest_clock *clock, bool host,
		      const uint64_t *retired);

/* Enclose the report of a block, which the ground truth has just received. In
 * between guest_clock_now() returns the ground truth's time of the block, if it
 * has one.
 */
void guest_clock_begin_block(struct guest_clock *clock);
void guest_clock_end_block(struct guest_clock *clock);

/* Returns the current TSC; under the host clock 0 before the first rdtsc. It
 * does not decrease, unless the guest writes its TSC.
 */
uint64_t guest_clock_now(struct guest_clock *clock);

/* Called around each rdtsc: before it, and at the next instruction with its
 * value.
 */
void guest_clock_before_rdtsc(struct guest_clock *clock);
void guest_clock_after_rdtsc(struct guest_clock *clock, uint64_t tsc);

/* Reports that the CPU is about to execute hlt. Like guest_clock_interrupt(),
 * reads the time from a device, which QEMU allows only between blocks and at a
 * block's last instruction (otherwise: "Bad icount read").
 */
void guest_clock_halt(struct guest_clock *clock, struct guest *guest);

/* Reports that an interrupt is taken. */
void guest_clock_interrupt(struct guest_clock *clock, struct guest *guest);

#endif
