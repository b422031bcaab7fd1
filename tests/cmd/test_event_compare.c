/* SPDX-License-Identifier: MIT */
#include "cmd/events/event_compare.h"
#include "common/array.h"
#include "decoder/flow/flow.h"
#include "tests/run_suite.h"

#include <string.h>

/* A stream of events that is emitted three at a time. */
struct stream {
	struct array events; /* struct function_event */
	size_t at;
};

static struct stream streams[2];
static struct event_comparison result;

static struct function_event *add(int side, uint64_t time_ns, uint8_t kind,
				  uint64_t address)
{
	struct function_event *event = array_add(&streams[side].events);

	ck_assert_ptr_nonnull(event);
	*event = (struct function_event){
		.time_ns = time_ns,
		.kind = kind,
		.address = address,
	};
	return event;
}

/* Calls of as many functions from @first on, 10 ns each from @time_ns on. */
static void add_calls(int side, uint64_t time_ns, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(side, time_ns + 10 * i, FUNCTION_CALL, first + i);
}

static int next(void *ctx, const struct function_event **batch)
{
	struct stream *stream = ctx;
	size_t left = stream->events.count - stream->at;
	size_t count = left < 3 ? left : 3;

	if (count)
		*batch = array_at(&stream->events, stream->at);
	stream->at += count;
	return (int)count;
}

static void set_up(void)
{
	for (int i = 0; i < 2; i++)
		streams[i] =
			(struct stream){ ARRAY_OF(struct function_event), 0 };
}

static void tear_down(void)
{
	for (int i = 0; i < 2; i++)
		array_free(&streams[i].events);
}

static void compare(void)
{
	struct event_window windows[2];

	for (int i = 0; i < 2; i++)
		event_window_init(&windows[i], next, &streams[i]);
	ck_assert_int_eq(event_compare(&windows[0], &windows[1], &result), 0);
	for (int i = 0; i < 2; i++)
		event_window_free(&windows[i]);
}

static void add_gap(int side, uint64_t time_ns, uint8_t reason,
		    uint64_t position)
{
	add(side, time_ns, FUNCTION_GAP, position)->detail = reason;
}

START_TEST(equal_events_are_counted)
{
	for (int i = 0; i < 2; i++)
		add_calls(i, 1000, 1, 100);
	compare();
	ck_assert(!result.differs);
	ck_assert_uint_eq(result.compared, 100);
	ck_assert_uint_eq(result.same_ns, 100);
}
END_TEST

START_TEST(another_address_is_a_difference)
{
	for (int i = 0; i < 2; i++) {
		add_calls(i, 1000, 1, 50);
		add(i, 2000, FUNCTION_RETURN, 7 + (uint64_t)i);
		add_calls(i, 3000, 1, 50);
	}
	compare();
	ck_assert(result.differs);
	ck_assert(!result.is_time);
	ck_assert_uint_eq(result.compared, 50);
	ck_assert_uint_eq(result.number[1], 50);
	ck_assert_uint_eq(result.first[1].address, 8);
}
END_TEST

START_TEST(one_more_at_the_end_is_a_difference)
{
	for (int i = 0; i < 2; i++)
		add_calls(i, 1000, 1, 50);
	add(1, 2000, FUNCTION_RETURN, 1);
	compare();
	ck_assert(result.differs);
	ck_assert_uint_eq(result.first[1].kind, FUNCTION_RETURN);
}
END_TEST

/* The time of the last switch, whether its upper bound is open, as that of the
 * end is, and whether the engines agree. The end is at 1900 at the earliest.
 */
static const struct {
	uint64_t switch_ns;
	bool is_open, differs;
} last_switches[] = {
	{ 1950, true, false },
	{ 5000, true, false },
	{ 1899, true, true },
	{ 1950, false, true },
};

/* Adds calls, a switch if its time is not 0, and the end. */
static void add_end(int side, uint64_t switch_ns, bool is_open)
{
	struct function_event *event;

	add_calls(side, 1000, 1, 50);
	if (switch_ns) {
		event = add(side, switch_ns, FUNCTION_SWITCH, 7);
		event->late_ns = is_open ? FLOW_NO_BOUND : 0;
	}
	event = add(side, 2000, FUNCTION_END, 0);
	event->early_ns = 100;
	event->late_ns = FLOW_NO_BOUND;
}

START_TEST(a_switch_within_the_bounds_of_the_end_is_no_difference)
{
	for (int side = 0; side < 2; side++) {
		add_end(side, last_switches[_i].switch_ns,
			last_switches[_i].is_open);
		add_end(!side, 0, false);
		compare();
		ck_assert(result.differs == last_switches[_i].differs);
		if (!result.differs)
			ck_assert_uint_eq(result.compared, 51);
		tear_down();
		set_up();
	}
}
END_TEST

/* Times may differ by the sum of both bounds. */
START_TEST(times_agree_within_their_bounds)
{
	add(0, 1000, FUNCTION_CALL, 1)->late_ns = 5;
	add(1, 1005, FUNCTION_CALL, 1)->early_ns = 5;
	add(0, 1010, FUNCTION_CALL, 2)->late_ns = FLOW_NO_BOUND;
	add(1, 9000, FUNCTION_CALL, 2)->early_ns = FLOW_NO_BOUND;
	compare();
	ck_assert(!result.differs);
	ck_assert_uint_eq(result.compared, 2);
	ck_assert_uint_eq(result.same_ns, 0);
}
END_TEST

START_TEST(times_beyond_a_bound_are_a_difference)
{
	add(0, 1000, FUNCTION_CALL, 1)->late_ns = 5;
	add(1, 1005, FUNCTION_CALL, 1)->early_ns = 4;
	compare();
	ck_assert(result.differs);
	ck_assert(result.is_time);
}
END_TEST

/* Like the story above, for a gap: 1005 has 1000 in its bounds if they are
 * wide.
 */
START_TEST(one_engine_may_know_closer_when_a_gap_starts)
{
	add(0, 1000, FUNCTION_GAP, 1)->late_ns = 4;
	add(1, 1005, FUNCTION_GAP, 1)->early_ns = _i ? 5 : 4;
	compare();
	ck_assert_int_eq(result.differs, !_i);
}
END_TEST

/* One stream continues at once, the other much later: events between are in
 * only one.
 */
START_TEST(streams_are_aligned_again_after_a_gap)
{
	for (int i = 0; i < 2; i++) {
		add_calls(i, 1000, 1, 50);
		add_gap(i, 2000 + (uint64_t)i, FLOW_GAP_NO_CODE,
			30 + (uint64_t)i);
	}
	add(0, 2010, FUNCTION_TRACE_START, 5);
	add_calls(0, 3000, 1000, 9000);
	add(1, 3000 + 10 * 8000, FUNCTION_TRACE_START, 6);
	add_calls(1, 3000 + 10 * 8000, 9000, 1000);
	for (int i = 0; i < 2; i++)
		add_calls(i, 200000, 1, 100);
	compare();
	ck_assert(!result.differs);
	ck_assert_uint_eq(result.gaps[0], 1);
	ck_assert_uint_eq(result.gaps[1], 1);
	ck_assert_uint_eq(result.alone[0], 8001);
	ck_assert_uint_eq(result.alone[1], 1);
	ck_assert_uint_eq(result.compared, 51 + 1000 + 100);
}
END_TEST

START_TEST(a_gap_of_one_is_no_difference)
{
	add_calls(0, 1000, 1, 300);
	add_calls(1, 1000, 1, 50);
	add_gap(1, 1500, FLOW_GAP_BAD_TRACE, 7);
	add(1, 2000, FUNCTION_TRACE_START, 5);
	add_calls(1, 2000, 101, 200);
	compare();
	ck_assert(!result.differs);
	ck_assert_uint_eq(result.alone[0], 50);
	ck_assert_uint_eq(result.compared, 250);
}
END_TEST

/* Rounds of a loop, 10 ns each, which may have been @wide_ns sooner or later.
 */
static void add_rounds(int side, uint64_t time_ns, size_t count,
		       uint32_t wide_ns)
{
	for (size_t i = 0; i < count; i++) {
		struct function_event *event =
			add(side, time_ns + 10 * i, FUNCTION_CALL, 5);

		event->early_ns = wide_ns;
		event->late_ns = wide_ns;
	}
}

/* In a loop whose times are not exact at first, the wrong round may seem to
 * match: the next exact time shows that it does not.
 */
START_TEST(a_loop_after_a_gap_has_many_rounds)
{
	for (int i = 0; i < 2; i++) {
		add_calls(i, 1000, 1, 50);
		if (i)
			add_gap(i, 1500, FLOW_GAP_BAD_TRACE, 7);
		else
			add_rounds(i, 1500, 30, 5000);
		add_rounds(i, 1800, 20, 5000);
		add_rounds(i, 2000, 30, 0);
		add_calls(i, 3000, 101, 200);
	}
	compare();
	ck_assert(!result.differs);
	ck_assert_uint_eq(result.gaps[1], 1);
	ck_assert_uint_ge(result.compared, 50 + 30 + 200);
}
END_TEST

/* If the engines have been in step for long after a gap, another time is a
 * difference.
 */
START_TEST(time_counts_long_after_a_gap)
{
	for (int i = 0; i < 2; i++) {
		add_calls(i, 1000, 1, 50);
		add_gap(i, 1500, FLOW_GAP_BAD_TRACE, 7);
		add_calls(i, 2000, 101, 100);
		add_calls(i, 3000 + (uint64_t)i, 301, 1);
	}
	compare();
	ck_assert(result.differs && result.is_time);
	ck_assert_uint_eq(result.first[0].address, 301);
}
END_TEST

/* A task switch that one stream reports late, after a gap, is not a difference.
 */
START_TEST(a_switch_after_a_gap_may_be_late)
{
	for (int i = 0; i < 2; i++) {
		add_calls(i, 1000, 1, 50);
		add_gap(i, 2000, FLOW_GAP_NO_CODE, 7);
		add_calls(i, 3000, 1, 100);
		if (!i)
			add(i, 4000, FUNCTION_SWITCH, 9);
		add_calls(i, 5000, 1, 100);
		add(i, 6500, FUNCTION_SWITCH, 8);
		if (!i)
			add(i, 6500, FUNCTION_SWITCH, 9);
	}
	compare();
	ck_assert(result.differs);
	ck_assert_uint_eq(result.number[1], 252);
	ck_assert_uint_eq(result.alone[0], 1);
}
END_TEST

START_TEST(losses_are_there_for_both)
{
	add_calls(0, 1000, 1, 50);
	add_calls(1, 1000, 1, 50);
	add_gap(0, 1500, FLOW_GAP_OVERFLOW, 7);
	add_calls(0, 2000, 1, 50);
	add_calls(1, 2000, 1, 50);
	compare();
	ck_assert(result.differs);
	ck_assert_uint_eq(result.first[0].kind, FUNCTION_GAP);
}
END_TEST

SUITE("event_compare")
{
	FIXTURE(set_up, tear_down);
	TEST(equal_events_are_counted);
	TEST(another_address_is_a_difference);
	TEST(one_more_at_the_end_is_a_difference);
	TEST_EACH(a_switch_within_the_bounds_of_the_end_is_no_difference,
		  last_switches);
	TEST(times_agree_within_their_bounds);
	TEST(times_beyond_a_bound_are_a_difference);
	TEST_TIMES(one_engine_may_know_closer_when_a_gap_starts, 2);
	TEST(streams_are_aligned_again_after_a_gap);
	TEST(a_gap_of_one_is_no_difference);
	TEST(a_loop_after_a_gap_has_many_rounds);
	TEST(time_counts_long_after_a_gap);
	TEST(a_switch_after_a_gap_may_be_late);
	TEST(losses_are_there_for_both);
}
