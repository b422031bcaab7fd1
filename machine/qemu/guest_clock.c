/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/guest_clock.h"

#include <x86intrin.h>

/* IA-PC HPET specification 1.0a: main counter value register. */
#define HPET_MAIN_COUNTER 0xfed000f0ull
/* QEMU's HPET counts at 100 MHz (hw/timer/hpet.c). */
enum { HPET_TICK_NS = 10 };

void guest_clock_init(struct guest_clock *clock, bool host,
		      const uint64_t *retired)
{
	*clock = (struct guest_clock){
		.host = host,
		.retired = retired,
		.host_offset_low = INT64_MIN,
		.host_offset_high = INT64_MAX,
	};
}

static uint64_t read_now(const struct guest_clock *clock)
{
	if (clock->host)
		return (clock->shared_host ? clock->shared_host : __rdtsc()) +
		       (uint64_t)clock->host_offset_low;
	return clock->base_tsc + (*clock->retired - clock->base_retired);
}

void guest_clock_begin_block(struct guest_clock *clock)
{
	clock->shared_host = host_moment_take(clock->moment);
}

void guest_clock_end_block(struct guest_clock *clock)
{
	clock->shared_host = 0;
}

uint64_t guest_clock_now(struct guest_clock *clock)
{
	uint64_t now;

	/* Before the first rdtsc the offset is unknown, and a guess would be
	 * stored.
	 */
	if (clock->host && clock->host_offset_low == INT64_MIN)
		return 0;
	now = read_now(clock);
	if (now > clock->last)
		clock->last = now;
	return clock->last;
}

void guest_clock_before_rdtsc(struct guest_clock *clock)
{
	clock->rdtsc_retired = *clock->retired;
	clock->rdtsc_host = __rdtsc();
}

/* The host's TSC was between its values before and after the rdtsc. */
static void narrow_host_offset(struct guest_clock *clock, uint64_t tsc)
{
	int64_t low = (int64_t)(tsc - __rdtsc());
	int64_t high = (int64_t)(tsc - clock->rdtsc_host);

	/* The offset is outside the known interval: the guest has written its
	 * TSC.
	 */
	if (low > clock->host_offset_high || high < clock->host_offset_low) {
		clock->host_offset_low = low;
		clock->host_offset_high = high;
		clock->last = 0;
		return;
	}
	if (low > clock->host_offset_low)
		clock->host_offset_low = low;
	if (high < clock->host_offset_high)
		clock->host_offset_high = high;
}

void guest_clock_after_rdtsc(struct guest_clock *clock, uint64_t tsc)
{
	if (clock->host) {
		narrow_host_offset(clock, tsc);
		return;
	}
	clock->base_tsc = tsc;
	clock->base_retired = clock->rdtsc_retired;
	clock->exact = true;
	clock->halted = false;
}

static bool read_hpet(struct guest *guest, uint64_t *ns)
{
	uint64_t ticks;

	if (!guest_read_physical(guest, HPET_MAIN_COUNTER, &ticks,
				 sizeof(ticks)) ||
	    !ticks)
		return false;
	*ns = ticks * HPET_TICK_NS;
	return true;
}

/* QEMU adds up a vCPU's executed instructions shortly after it has halted. If
 * its main thread runs just before that, it sees an idle machine with an old
 * time and lets the clock jump to the next timer, too far by the instructions
 * not added up yet. Reading the time from a device adds them up now.
 */
void guest_clock_halt(struct guest_clock *clock, struct guest *guest)
{
	uint64_t now;

	clock->exact = false;
	clock->halted = true;
	if (!clock->host)
		read_hpet(guest, &now);
}

void guest_clock_interrupt(struct guest_clock *clock, struct guest *guest)
{
	uint64_t hpet;

	if (clock->host || !read_hpet(guest, &hpet))
		return;
	if (clock->halted && clock->hpet_known) {
		clock->base_tsc = hpet + clock->hpet_offset;
		clock->base_retired = *clock->retired;
		clock->halted = false;
	} else if (clock->exact) {
		uint64_t offset = read_now(clock) - hpet;

		/* A tick hides up to 9 ns, so the smallest offset is the most
		 * accurate.
		 */
		if (!clock->hpet_known || offset < clock->hpet_offset)
			clock->hpet_offset = offset;
		clock->hpet_known = true;
	}
}
