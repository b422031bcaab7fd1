/* SPDX-License-Identifier: MIT */
#include "execution/walk/event_times_internal.h"
#include "tests/run_suite.h"

static const uint64_t usual = 65536 / 4;

/* Runs @spans spans of @instructions instructions, each of which takes @ns
 * nanoseconds.
 */
static void run(struct instruction_pace *pace, unsigned int spans,
		uint64_t instructions, uint64_t ns)
{
	while (spans--)
		instruction_pace_add(pace, instructions, instructions * ns);
}

START_TEST(four_instructions_a_nanosecond_until_some_are_measured)
{
	struct instruction_pace pace = INSTRUCTION_PACE_FIRST;

	ck_assert_uint_eq(instruction_pace_rate(&pace), usual);
	/* The first span began before the trace. */
	run(&pace, 1, 1000, 3);
	ck_assert_uint_eq(instruction_pace_rate(&pace), usual);
	run(&pace, 1, 255, 3);
	ck_assert_uint_eq(instruction_pace_rate(&pace), usual);
	run(&pace, 1, 1, 3);
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 300);
	ck_assert_uint_eq(instruction_pace_longest_ns(&pace, 100), 450 + 32);
}
END_TEST

START_TEST(all_before_the_first_measure_counts)
{
	struct instruction_pace pace = INSTRUCTION_PACE_FIRST;

	run(&pace, 2, 300, 1);
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 100);
	run(&pace, 1, 300, 3);
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 200);
	/* Slow ones do not. */
	instruction_pace_add(&pace, 0, 1000000);
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 200);
}
END_TEST

START_TEST(work_before_a_sync_point_counts_after_it)
{
	struct instruction_pace pace = INSTRUCTION_PACE_FIRST;

	run(&pace, 2, 5000, 2);
	instruction_pace_sync(&pace);
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 200);
	run(&pace, 5, 1000, 5);
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 200);
	instruction_pace_sync(&pace);
	/* The first span of the five was across the point before. */
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 200);
	run(&pace, 6, 1000, 5);
	instruction_pace_sync(&pace);
	ck_assert_uint_eq(instruction_pace_ns(&pace, 100), 500);
}
END_TEST

SUITE("instruction_pace")
{
	TEST(four_instructions_a_nanosecond_until_some_are_measured);
	TEST(all_before_the_first_measure_counts);
	TEST(work_before_a_sync_point_counts_after_it);
}
