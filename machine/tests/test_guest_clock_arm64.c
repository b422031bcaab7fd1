/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/guest_clock.h"
#include "tests/run_suite.h"

#include <time.h>

static uint64_t host_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Reads a guest clock that is @ahead_ns ahead of the host's. The clock derived
 * from the host's then differs from it by no more than the duration of these
 * readings.
 */
static void read_and_compare(struct guest_clock *clock, uint64_t ahead_ns)
{
	uint64_t before_ns = host_now_ns();
	uint64_t now_ns;

	guest_clock_before_reading(clock);
	guest_clock_after_reading(clock, host_now_ns() + ahead_ns);
	now_ns = guest_clock_now(clock).timestamp;
	ck_assert_uint_ge(now_ns, before_ns + ahead_ns);
	ck_assert_uint_le(now_ns, host_now_ns() + ahead_ns);
}

/* As happens while the machine's state is saved. */
START_TEST(it_may_stand_still)
{
	const uint64_t second_ns = 1000000000;
	const uint64_t retired = 0;
	struct guest_clock clock;

	guest_clock_init(&clock, true, &retired);
	read_and_compare(&clock, 3600 * second_ns);
	read_and_compare(&clock, 3600 * second_ns);
	read_and_compare(&clock, 1800 * second_ns);
}
END_TEST

SUITE("guest_clock_arm64")
{
	TEST(it_may_stand_still);
}
