/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_CLOCK_H
#define KT_MACHINE_TRUTH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* One vCPU's guest clock (TSC, generic timer) at any moment.
 *
 * Virtual: under -icount shift=0 it is the number of instructions
 * executed plus a constant, until the CPU sleeps.  The constant is learnt when
 * the guest reads it; a time asked for before that is a count, and becomes a
 * time later by adding clock->offset.  Each further reading checks it.
 *
 * Host: the guest's clock is the host's plus a constant, until the machine stands
 * still.  It is learnt just after a reading, so the largest estimate is the best
 * one.
 */
struct clock {
	bool host;
	bool known;	      /* offset is valid */
	uint64_t executed;    /* instructions, while tracked */
	uint64_t host_now;    /* the host's TSC as it was looked at last */
	uint64_t host_before; /* and before the reading under way */
	uint64_t offset;      /* guest TSC - executed, or - host's TSC */
	uint64_t syncs;	      /* readings seen */
	uint64_t corrections; /* of them, with another offset than known */
	uint64_t worst;	      /* largest of them, TSC ticks */
};

/* Looks at the host's clock, once for all that happens at one moment.  Returns
 * what it says; 0 if the clock is virtual.
 */
uint64_t clock_look(struct clock *clock);

/* The TSC @ahead instructions after clock->executed (virtual) or when it was
 * looked at (host); without the offset while that is not known.
 */
uint64_t clock_now(const struct clock *clock, uint32_t ahead);

/* The guest is about to read. */
void clock_before(struct clock *clock);

/* A reading, the last of @executed instructions, gave @tsc just now. */
void clock_sync(struct clock *clock, uint64_t tsc, uint64_t executed);

#endif
