/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/guest_clock.h"

#include <time.h>

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

static uint64_t host_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t read_now(const struct guest_clock *clock)
{
	if (clock->host)
		return host_now() + (uint64_t)clock->host_offset_low;
	return clock->base + (*clock->retired - clock->base_retired);
}

/* On the host's clock a cycle is a nanosecond. On the virtual clock it is an
 * instruction, and none passes while the CPU waits.
 */
struct ete_time guest_clock_now(struct guest_clock *clock)
{
	struct ete_time time = { .known = clock->known };
	uint64_t now;

	if (clock->known) {
		now = read_now(clock);
		if (now > clock->last)
			clock->last = now;
	}
	time.timestamp = clock->last;
	time.cycles = clock->host ? clock->last : *clock->retired;
	return time;
}

void guest_clock_before_reading(struct guest_clock *clock)
{
	clock->read_retired = *clock->retired;
	if (clock->host)
		clock->read_host = host_now();
}

/* The host's clock was between its values before and after the reading. */
static void narrow_host_offset(struct guest_clock *clock, uint64_t value)
{
	int64_t low = (int64_t)(value - host_now());
	int64_t high = (int64_t)(value - clock->read_host);

	/* The offset is outside the known interval: the machine stood still
	 * while its state was saved.
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

void guest_clock_after_reading(struct guest_clock *clock, uint64_t value)
{
	clock->known = true;
	if (clock->host) {
		narrow_host_offset(clock, value);
		return;
	}
	clock->base = value;
	clock->base_retired = clock->read_retired;
}

void guest_clock_wait(struct guest_clock *clock)
{
	if (!clock->host)
		clock->known = false;
}
