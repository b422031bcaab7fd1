/* SPDX-License-Identifier: MIT */
#include "attribution/requests/request.h"
#include "tests/run_suite.h"

#include <check.h>

/* The next of a thread that sends messages and never waits for one. */
static struct hold *next_of(struct thread_clock *clock, struct hold *before)
{
	struct clock_mark *mark = thread_clock_mark(clock, clock->end_ns);
	struct hold *hold = hold_new(NULL, clock, mark);

	ck_assert_ptr_nonnull(hold);
	ck_assert_int_eq(hold_give(hold, NULL, before), 0);
	hold_drop(before);
	return hold;
}

static size_t length_of(const struct hold *hold)
{
	size_t length = 0;

	while ((hold = hold->parent))
		length++;
	return length;
}

START_TEST(the_way_back_is_bounded)
{
	struct thread_clock clock = THREAD_CLOCK_NEW;
	struct hold *hold = NULL;

	for (size_t i = 0; i < 100 * MOST_PARENTS; i++) {
		hold = next_of(&clock, hold);
		if (i % (MOST_PARENTS / 2))
			continue;
		ck_assert_uint_lt(length_of(hold), 2 * MOST_PARENTS);
		ck_assert_uint_ge(length_of(hold),
				  i < MOST_PARENTS ? i : MOST_PARENTS);
	}
	hold_drop(hold);
	thread_clock_free(&clock);
}
END_TEST

START_TEST(a_way_does_not_lead_to_itself)
{
	struct thread_clock clock = THREAD_CLOCK_NEW;
	struct hold *first = next_of(&clock, NULL);
	struct hold *second = next_of(&clock, hold_refer(first));

	ck_assert_ptr_eq(second->parent, first);
	ck_assert_int_eq(hold_give(first, NULL, second), 0);
	ck_assert_ptr_null(first->parent);
	hold_drop(first);
	hold_drop(second);
	thread_clock_free(&clock);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("request_holds");
	TCase *tcase = tcase_create("way");

	tcase_add_test(tcase, the_way_back_is_bounded);
	tcase_add_test(tcase, a_way_does_not_lead_to_itself);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
