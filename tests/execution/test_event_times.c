/* SPDX-License-Identifier: MIT */
#include "execution/walk/event_times_internal.h"
#include "tests/run_suite.h"

#include "execution/graph/block.h"
#include <check.h>
#include <stdlib.h>

static struct event_times *times;

static void set_up(void)
{
	times = calloc(1, sizeof(*times));
	ck_assert_ptr_nonnull(times);
	event_times_init(times);
}

static void tear_down(void)
{
	free(times);
}

/* Adds a record with its time bounds, @work instructions after the previous
 * one.
 */
static void add(uint64_t work, uint64_t low_ns, uint64_t high_ns)
{
	times->work += work;
	event_times_add(times, event_times_bound(times, low_ns, high_ns));
}

static void expect(size_t index, uint64_t time_ns, uint32_t early_ns,
		   uint32_t late_ns)
{
	const union timed_record *record = &times->records[index];

	ck_assert_uint_eq(record->time_ns, time_ns);
	ck_assert_uint_eq(record->early_ns, early_ns);
	ck_assert_uint_eq(record->late_ns, late_ns);
}

START_TEST(work_places_events_between_known_times)
{
	event_times_set_known(times, 1000);
	add(10, 900, 1200);
	add(30, 900, 1200);
	times->work += 60;
	event_times_set_known(times, 1100);
	ck_assert_uint_eq(times->finished, 2);
	event_times_write(times);
	expect(0, 1010, 110, 190);
	expect(1, 1040, 140, 160);
}
END_TEST

/* The first records may have happened long before the first known time. */
START_TEST(events_before_all_known_times_keep_their_bounds)
{
	add(0, 0, 1050);
	add(10, 980, 1050);
	add(10, 1040, 2000);
	times->work += 20;
	event_times_set_known(times, 1090);
	event_times_write(times);
	expect(0, 1050, FLOW_NO_BOUND, 0);
	expect(1, 1050, 70, 0);
	expect(2, 1070, 30, 930);
}
END_TEST

START_TEST(slow_blocks_take_the_unusual_time)
{
	event_times_set_known(times, 1000);
	add(10, 0, UINT64_MAX);
	add(BLOCK_WORK_SLOW, 0, UINT64_MAX);
	event_times_set_known(times, 1000000);
	event_times_write(times);
	ck_assert_uint_lt(times->records[0].time_ns, 1100);
	ck_assert_uint_gt(times->records[1].time_ns, 999000);
	ck_assert_uint_eq(times->records[0].early_ns, FLOW_NO_BOUND);
	ck_assert_uint_eq(times->records[0].late_ns, FLOW_NO_BOUND);
}
END_TEST

START_TEST(bounds_and_order_win)
{
	event_times_set_known(times, 1000);
	add(50, 1060, 1070);
	add(0, 1000, 1065);
	add(0, 1000, 1055);
	times->work += 50;
	event_times_set_known(times, 1100);
	event_times_write(times);
	expect(0, 1060, 0, 10);
	expect(1, 1060, 60, 5);
	/* Order has priority over a bound that cannot be kept. */
	expect(2, 1060, 60, 0);
}
END_TEST

/* Without bounds requested, the times are the same. */
START_TEST(times_are_within_bounds_that_are_not_written)
{
	times->without_bounds = true;
	event_times_set_known(times, 1000);
	add(50, 1060, 1070);
	add(0, 1000, 1055);
	times->work += 50;
	event_times_set_known(times, 1100);
	event_times_write(times);
	expect(0, 1060, FLOW_NO_BOUND, FLOW_NO_BOUND);
	expect(1, 1060, FLOW_NO_BOUND, FLOW_NO_BOUND);
}
END_TEST

START_TEST(invariant_1_waiting_records_stay_when_others_are_dropped)
{
	event_times_set_known(times, 1000);
	add(1, 1, 5000);
	event_times_set_known(times, 2000);
	add(25, 2010, 4000);
	event_times_drop(times);
	ck_assert_uint_eq(times->count, 1);
	ck_assert_uint_eq(times->finished, 0);
	times->work += 75;
	event_times_set_known(times, 2100);
	event_times_write(times);
	expect(0, 2025, 15, 1975);
}
END_TEST

START_TEST(without_a_known_time_the_usual_speed_counts)
{
	event_times_set_known(times, 1000);
	times->work += 1000;
	event_times_set_known(times, 2000);
	add(100, 0, UINT64_MAX);
	event_times_flush(times);
	ck_assert_uint_eq(times->finished, 1);
	ck_assert_uint_gt(times->records[0].time_ns, 2000);
	ck_assert_uint_le(times->records[0].time_ns, 2100);
}
END_TEST

SUITE("event_times")
{
	FIXTURE(set_up, tear_down);
	TEST(work_places_events_between_known_times);
	TEST(events_before_all_known_times_keep_their_bounds);
	TEST(slow_blocks_take_the_unusual_time);
	TEST(bounds_and_order_win);
	TEST(times_are_within_bounds_that_are_not_written);
	TEST(invariant_1_waiting_records_stay_when_others_are_dropped);
	TEST(without_a_known_time_the_usual_speed_counts);
}
