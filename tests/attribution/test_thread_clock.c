/* SPDX-License-Identifier: MIT */
#include "attribution/requests/request.h"
#include "attribution/time/time_span.h"
#include "tests/run_suite.h"

#include <check.h>

static void takes(struct thread_clock *clock, enum time_class class,
		  uint64_t begin_ns, uint64_t end_ns)
{
	const struct time_span span = { .time_class = class,
					.begin_ns = begin_ns,
					.end_ns = end_ns };

	thread_clock_consume(clock, &span, request_part_of(&span, false));
}

START_TEST(it_knows_when_the_thread_was_off_its_cpu)
{
	struct thread_clock clock = THREAD_CLOCK_NEW;
	uint64_t parts[REQUEST_PARTS];

	takes(&clock, TIME_USER, 0, 10);
	takes(&clock, TIME_ASLEEP, 10, 30);
	takes(&clock, TIME_RUNNABLE, 30, 35);
	takes(&clock, TIME_USER, 35, 50);
	takes(&clock, TIME_ASLEEP, 50, 60);
	thread_clock_away(&clock, 15, 32, parts);
	ck_assert_uint_eq(parts[PART_ASLEEP], 15);
	ck_assert_uint_eq(parts[PART_RUNNABLE], 2);
	ck_assert_uint_eq(parts[PART_USER], 0);
	thread_clock_away(&clock, 35, 50, parts);
	ck_assert_uint_eq(parts[PART_ASLEEP] + parts[PART_RUNNABLE], 0);
	thread_clock_free(&clock);
}
END_TEST

START_TEST(it_keeps_the_last_sleeps)
{
	enum { SLEEPS = 10000, KEPT = 256 };
	struct thread_clock clock = THREAD_CLOCK_NEW;
	uint64_t parts[REQUEST_PARTS];

	for (uint64_t i = 0; i < SLEEPS; i++) {
		takes(&clock, TIME_USER, 10 * i, 10 * i + 4);
		takes(&clock, TIME_ASLEEP, 10 * i + 4, 10 * i + 10);
	}
	thread_clock_away(&clock, 10 * (SLEEPS - KEPT), 10 * SLEEPS, parts);
	ck_assert_uint_eq(parts[PART_ASLEEP], 6 * KEPT);
	ck_assert_uint_le(clock.away.count, 2 * KEPT);
	thread_clock_free(&clock);
}
END_TEST

SUITE("thread_clock")
{
	TEST(it_knows_when_the_thread_was_off_its_cpu);
	TEST(it_keeps_the_last_sleeps);
}
