/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_CLOCK_H
#define KT_MACHINE_TRUTH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Computes one vCPU's guest clock (TSC, generic timer) at any time.
 *
 * Virtual clock: under -icount shift=0 the guest's clock is the number of
 * executed instructions plus an offset, until the CPU sleeps.  The offset is
 * known once the guest has read its clock; until then clock_now() returns a
 * count, which becomes a time by adding clock->offset later.  Each further
 * reading checks the offset.
 *
 * Host's clock: the guest's clock is the host's plus an offset, until the machine
 * is stopped.  The host's clock is read just after the guest's, so estimates of
 * the offset are too small, and the largest one is the best.
 */
struct clock {
	bool host;
	bool known;	      /* offset is valid */
	uint64_t executed;    /* instructions, while tracked */
	uint64_t host_now;    /* the host's TSC at the last clock_look() */
	uint64_t host_before; /* and before the current reading */
	uint64_t offset;      /* guest TSC - executed, or - host's TSC */
	uint64_t syncs;	      /* the guest's readings */
	uint64_t corrections; /* readings that changed the offset */
	uint64_t worst;	      /* largest change, TSC ticks */
};

/* Reads the host's clock; call it once for all events of one time.  Returns the
 * value, or 0 if the clock is virtual.
 */
uint64_t clock_look(struct clock *clock);

/* Returns the TSC @ahead instructions after clock->executed (virtual clock), or at
 * the last clock_look() (host's clock); without the offset while it is unknown.
 */
uint64_t clock_now(const struct clock *clock, uint32_t ahead);

/* Must be called before the guest reads its clock. */
void clock_before(struct clock *clock);

/* Must be called just after the guest has read @tsc by the last of @executed
 * instructions.  Updates the offset.
 */
void clock_sync(struct clock *clock, uint64_t tsc, uint64_t executed);

#endif
