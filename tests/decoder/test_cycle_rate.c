/* SPDX-License-Identifier: MIT */
#include "decoder/flow/cycle_rate.h"
#include "tests/run_suite.h"

#include <check.h>

enum { CYCLES = 500 };

static struct cycle_rate rate;

static void set_up(void)
{
	rate = cycle_rate_new();
}

/* CYCLES were counted while @span_ns passed. */
static void learn(bool is_slow, uint64_t span_ns)
{
	cycle_rate_begin(&rate);
	rate.work = CYCLES;
	rate.counted = CYCLES;
	rate.is_slow = is_slow;
	cycle_rate_learn(&rate, span_ns);
}

START_TEST(the_first_span_gives_the_cycle_length)
{
	learn(false, 2 * CYCLES);
	ck_assert_uint_eq(cycle_rate_ns(&rate, 1000), 2000);
}
END_TEST

START_TEST(waits_are_not_cycles)
{
	uint64_t before_ns = cycle_rate_ns(&rate, 1000);

	learn(true, 6 * CYCLES);
	ck_assert_uint_eq(cycle_rate_ns(&rate, 1000), before_ns);
	learn(false, CYCLES);
	learn(true, 6 * CYCLES);
	ck_assert_uint_eq(cycle_rate_ns(&rate, 1000), 1000);
}
END_TEST

START_TEST(cycles_take_no_longer_than_a_span_with_waits)
{
	learn(false, 4 * CYCLES);
	for (int i = 0; i < 200; i++)
		learn(true, CYCLES);
	ck_assert_uint_le(cycle_rate_ns(&rate, 1000), 1010);
}
END_TEST

START_TEST(a_slower_clock_is_followed)
{
	learn(false, CYCLES);
	for (int i = 0; i < 200; i++)
		learn(false, 3 * CYCLES);
	ck_assert_uint_ge(cycle_rate_ns(&rate, 1000), 2990);
	ck_assert_uint_le(cycle_rate_ns(&rate, 1000), 3000);
}
END_TEST

/* Instructions differ: a long span is more likely one that waited. */
START_TEST(guessed_work_grows_slowly)
{
	uint64_t before_ns = cycle_rate_ns(&rate, 1000);

	rate.work = CYCLES;
	cycle_rate_learn(&rate, 100 * CYCLES);
	ck_assert_uint_gt(cycle_rate_ns(&rate, 1000), before_ns);
	ck_assert_uint_lt(cycle_rate_ns(&rate, 1000), before_ns * 11 / 10);
}
END_TEST

START_TEST(counted_cycles_have_narrow_bounds)
{
	learn(false, CYCLES);
	ck_assert_uint_lt(cycle_rate_longest_ns(&rate), CYCLES * 21 / 20);
	rate.counted = 0;
	ck_assert_uint_gt(cycle_rate_longest_ns(&rate), CYCLES * 3 / 2);
}
END_TEST

SUITE("cycle_rate")
{
	FIXTURE(set_up, NULL);
	TEST(the_first_span_gives_the_cycle_length);
	TEST(waits_are_not_cycles);
	TEST(cycles_take_no_longer_than_a_span_with_waits);
	TEST(a_slower_clock_is_followed);
	TEST(guessed_work_grows_slowly);
	TEST(counted_cycles_have_narrow_bounds);
}
