/* SPDX-License-Identifier: MIT */
#include "decoder/flow/trace_branch.h"
#include "decoder/intel_pt/branch_window.h"
#include "tests/run_suite.h"

enum { DELAY = 50 };

/* This is what an MTC closed, and then something exact. */
START_TEST(what_is_behind_a_late_packet_is_as_young)
{
	const struct intel_clock clock = { .has_anchor = true };
	struct trace_branch late[] = {
		{ .high = 100, .is_timed = true },
		{ .high = 120, .is_timed = true },
	};
	struct trace_branch exact[] = {
		{ .high = 130, .is_timed = true },
		{ .high = 180, .is_timed = true },
	};
	uint64_t last_high = 0;

	branch_window_delay(late, 2, DELAY, &last_high);
	branch_window_delay(exact, 2, 0, &last_high);
	ck_assert_uint_eq(late[0].high, 150);
	ck_assert_uint_eq(late[1].high, 170);
	ck_assert_uint_eq(exact[0].high, 170);
	ck_assert_uint_eq(exact[1].high, 180);
	branch_window_delay(late, 1, 0, &last_high);
	ck_assert_uint_eq(late[0].high, 150);
}
END_TEST

/* As a PSB, which one of the engines takes for a branch. */
START_TEST(what_has_no_time_of_its_own_makes_nothing_younger)
{
	struct trace_branch late[] = { { .high = 120 } };
	struct trace_branch exact[] = { { .high = 130, .is_timed = true } };
	uint64_t last_high = 0;

	branch_window_delay(late, 1, DELAY, &last_high);
	branch_window_delay(exact, 1, 0, &last_high);
	ck_assert_uint_eq(late[0].high, 170);
	ck_assert_uint_eq(exact[0].high, 130);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("branch_window");
	TCase *tcase = tcase_create("delay");

	tcase_add_test(tcase, what_is_behind_a_late_packet_is_as_young);
	tcase_add_test(tcase,
		       what_has_no_time_of_its_own_makes_nothing_younger);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
