/* SPDX-License-Identifier: MIT */
#include "attribution/requests/request.h"
#include "tests/run_suite.h"

#include <check.h>

/* The next of a thread that sends messages and never waits for one. */
static struct work_segment *next_of(struct thread_clock *clock,
				    struct work_segment *before)
{
	struct clock_mark *mark = thread_clock_mark(clock, clock->end_ns);
	struct work_segment *segment = work_segment_new(NULL, clock, mark);

	ck_assert_ptr_nonnull(segment);
	ck_assert_int_eq(work_segment_give(segment, NULL, before), 0);
	work_segment_drop(before);
	return segment;
}

static size_t length_of(const struct work_segment *segment)
{
	size_t length = 0;

	while ((segment = segment->parent))
		length++;
	return length;
}

START_TEST(the_way_back_is_bounded)
{
	struct thread_clock clock = THREAD_CLOCK_NEW;
	struct work_segment *segment = NULL;

	for (size_t i = 0; i < 100 * MOST_PARENTS; i++) {
		segment = next_of(&clock, segment);
		if (i % (MOST_PARENTS / 2))
			continue;
		ck_assert_uint_lt(length_of(segment), 2 * MOST_PARENTS);
		ck_assert_uint_ge(length_of(segment),
				  i < MOST_PARENTS ? i : MOST_PARENTS);
	}
	work_segment_drop(segment);
	thread_clock_free(&clock);
}
END_TEST

START_TEST(a_way_does_not_lead_to_itself)
{
	struct thread_clock clock = THREAD_CLOCK_NEW;
	struct work_segment *first = next_of(&clock, NULL);
	struct work_segment *second =
		next_of(&clock, work_segment_refer(first));

	ck_assert_ptr_eq(second->parent, first);
	ck_assert_int_eq(work_segment_give(first, NULL, second), 0);
	ck_assert_ptr_null(first->parent);
	work_segment_drop(first);
	work_segment_drop(second);
	thread_clock_free(&clock);
}
END_TEST

SUITE("work_segments")
{
	TEST(the_way_back_is_bounded);
	TEST(a_way_does_not_lead_to_itself);
}
