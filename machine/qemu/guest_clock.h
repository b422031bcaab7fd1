/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_GUEST_CLOCK_H
#define KT_MACHINE_QEMU_GUEST_CLOCK_H

#include "machine/qemu/guest.h"
#include "machine/unit/host_moments.h"

#include <stdbool.h>
#include <stdint.h>

/* The guest's time stamp counter, known without asking the guest.
 *
 * Virtual clock (-icount shift=0, one vCPU): the TSC counts instructions, and
 * jumps when the CPU is halted.  Every rdtsc the guest executes tells the
 * value exactly; from there instructions are counted.  After a halt the HPET,
 * which runs on the same virtual clock with 10 ns ticks, tells the time.
 *
 * Host clock (several vCPUs): the TSC is the host's plus a constant, known
 * to lie in an interval that every rdtsc narrows.
 */
struct guest_clock {
	bool host;
	const uint64_t *retired; /* instructions, this vCPU */
	uint64_t base_tsc;
	uint64_t base_retired;
	uint64_t rdtsc_retired;	    /* at the rdtsc under way */
	uint64_t rdtsc_host;	    /* host TSC before it */
	struct host_moment *moment; /* what the ground truth read, or NULL */
	uint64_t shared_host;	    /* that, for the block at hand; 0: none */
	int64_t host_offset_low, host_offset_high;
	uint64_t hpet_offset; /* TSC - HPET time, smallest seen */
	bool hpet_known;
	bool exact;    /* no halt since the last rdtsc */
	bool halted;   /* the time stood still since a halt */
	uint64_t last; /* what now() said last */
};

/* @retired: counts the instructions this vCPU has begun; outlives @clock. */
void guest_clock_init(struct guest_clock *clock, bool host,
		      const uint64_t *retired);

/* A block is being told of, as the ground truth was just before: until the end now()
 * says the time that it has for it, if it has one.
 */
void guest_clock_begin_block(struct guest_clock *clock);
void guest_clock_end_block(struct guest_clock *clock);

/* TSC now; never less than the last answer. */
uint64_t guest_clock_now(struct guest_clock *clock);

/* Around each rdtsc: before it, and at the next instruction with its value. */
void guest_clock_before_rdtsc(struct guest_clock *clock);
void guest_clock_after_rdtsc(struct guest_clock *clock, uint64_t tsc);

/* The next two ask a device for the time, which QEMU allows between blocks and
 * at a block's last instruction only (elsewhere: "Bad icount read").
 *
 * The CPU is about to execute hlt.
 */
void guest_clock_halt(struct guest_clock *clock, struct guest *guest);

/* An interrupt is taken. */
void guest_clock_interrupt(struct guest_clock *clock, struct guest *guest);

#endif
