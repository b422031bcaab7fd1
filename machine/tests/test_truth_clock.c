/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/arch.h"
#include "machine/truth/clock.h"
#include "tests/run_suite.h"

static uint64_t host_ns;

uint64_t arch_host_clock(void)
{
	return host_ns;
}

/* The guest reads @value between these two times of the host's clock. */
static void read_clock(struct clock *clock, uint64_t before_ns,
		       uint64_t after_ns, uint64_t value)
{
	host_ns = before_ns;
	clock_before(clock);
	host_ns = after_ns;
	clock_sync(clock, value, 0);
}

static uint64_t now_at(struct clock *clock, uint64_t now_ns)
{
	host_ns = now_ns;
	clock_look(clock);
	return clock_now(clock, 0);
}

START_TEST(the_shortest_reading_counts)
{
	struct clock clock = { .host = true };

	read_clock(&clock, 1000, 1500, 91200);
	ck_assert_uint_eq(now_at(&clock, 2000), 91700);
	read_clock(&clock, 3000, 3100, 93050);
	ck_assert_uint_eq(now_at(&clock, 4000), 93950);
	read_clock(&clock, 5000, 5900, 95200);
	ck_assert_uint_eq(now_at(&clock, 6000), 95950);
	ck_assert_uint_eq(clock.syncs, 3);
	ck_assert_uint_eq(clock.corrections, 1);
	ck_assert_uint_eq(clock.worst, 250);
}
END_TEST

START_TEST(it_may_stand_still)
{
	struct clock clock = { .host = true };

	read_clock(&clock, 1000, 1100, 91000);
	read_clock(&clock, 500000, 500100, 92000);
	ck_assert_uint_eq(now_at(&clock, 600100), 192000);
}
END_TEST

SUITE("truth_clock")
{
	TEST(the_shortest_reading_counts);
	TEST(it_may_stand_still);
}
