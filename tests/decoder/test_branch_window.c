/* SPDX-License-Identifier: MIT */
#include "decoder/flow/branch_source.h"
#include "decoder/intel_pt/branch_window.h"
#include "decoder/intel_pt/intel_clock.h"
#include "tests/run_suite.h"

enum { ANCHOR = 1000, DELAY = 50 };

/* Closes a window after @clock's anchor; all of its elapsed cycles were
 * counted.
 */
static void close(struct trace_branch *branches, size_t count, uint64_t delay,
		  uint64_t *last_high)
{
	const struct intel_clock clock = {
		.setup.counts_cycles = true,
		.anchor = ANCHOR,
		.elapsed = 200,
		.has_anchor = true,
	};

	branch_window_close(branches, count, &clock, ANCHOR + 200, delay);
	branch_window_pass(branches, count, delay, last_high);
}

/* A window closed by an MTC, followed by an exact one. */
START_TEST(branches_after_a_late_packet_are_as_young)
{
	struct trace_branch late[] = {
		{ .high = 100, .is_timed = true },
		{ .high = 120, .is_timed = true },
	};
	struct trace_branch exact[] = {
		{ .high = 130, .is_timed = true },
		{ .high = 180, .is_timed = true },
	};
	struct trace_branch next[] = { { .high = 20, .is_timed = true } };
	uint64_t last_high = 0;

	close(late, 2, DELAY, &last_high);
	close(exact, 2, 0, &last_high);
	ck_assert_uint_eq(late[0].high, ANCHOR + 150);
	ck_assert_uint_eq(late[1].high, ANCHOR + 170);
	ck_assert_uint_eq(exact[0].high, ANCHOR + 170);
	ck_assert_uint_eq(exact[1].high, ANCHOR + 180);
	close(next, 1, 0, &last_high);
	ck_assert_uint_eq(next[0].high, ANCHOR + 20);
}
END_TEST

/* Such a packet is a PSB, which one of the decoders reports as a branch. */
START_TEST(packets_without_a_time_make_nothing_younger)
{
	struct trace_branch late[] = { { .high = 120 } };
	struct trace_branch exact[] = { { .high = 130, .is_timed = true } };
	uint64_t last_high = 0;

	close(late, 1, DELAY, &last_high);
	close(exact, 1, 0, &last_high);
	ck_assert_uint_eq(late[0].high, ANCHOR + 170);
	ck_assert_uint_eq(exact[0].high, ANCHOR + 130);
}
END_TEST

/* Time before the first anchor is unknown, and the anchor may be an MTC's. */
START_TEST(a_late_packet_may_be_the_first_with_a_time)
{
	const struct intel_clock clock = { .elapsed = 30 };
	struct trace_branch branch = { .low = 10, .high = 20 };

	branch_window_close(&branch, 1, &clock, ANCHOR, DELAY);
	ck_assert_uint_eq(branch.low, 0);
	ck_assert_uint_eq(branch.high, ANCHOR - 10 + DELAY);
}
END_TEST

SUITE("branch_window")
{
	TEST(branches_after_a_late_packet_are_as_young);
	TEST(packets_without_a_time_make_nothing_younger);
	TEST(a_late_packet_may_be_the_first_with_a_time);
}
