/* SPDX-License-Identifier: MIT */
#include "collector/target/process_control.h"
#include "tests/run_suite.h"

#include <sched.h>
#include <stdio.h>

static int policy(void)
{
	return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

START_TEST(a_raised_priority_is_restored)
{
	const struct sched_param none = { 0 };
	struct priority priority = { 0 };

	ck_assert_int_eq(sched_setscheduler(0, SCHED_BATCH, &none), 0);
	if (!priority_raise(&priority)) {
		printf("skipped: no right to be real-time\n");
		ck_assert_int_eq(policy(), SCHED_BATCH);
		ck_assert(priority_restore(&priority));
		return;
	}
	ck_assert_int_eq(policy(), SCHED_FIFO);
	ck_assert(priority_restore(&priority));
	ck_assert_int_eq(policy(), SCHED_BATCH);
	ck_assert(priority_restore(&priority));
}
END_TEST

START_TEST(a_real_time_priority_stays)
{
	const struct sched_param high = { .sched_priority = 3 };
	struct priority priority = { 0 };
	struct sched_param now;

	if (sched_setscheduler(0, SCHED_RR, &high)) {
		printf("skipped: no right to be real-time\n");
		return;
	}
	ck_assert(priority_raise(&priority));
	ck_assert_int_eq(policy(), SCHED_RR);
	ck_assert(priority_restore(&priority));
	ck_assert_int_eq(policy(), SCHED_RR);
	ck_assert_int_eq(sched_getparam(0, &now), 0);
	ck_assert_int_eq(now.sched_priority, 3);
}
END_TEST

SUITE("priority")
{
	TEST(a_raised_priority_is_restored);
	TEST(a_real_time_priority_stays);
}
