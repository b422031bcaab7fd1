/* SPDX-License-Identifier: MIT */
#include "inband/own_records_internal.h"
#include "tests/run_suite.h"

#include <string.h>

#define PSB "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82"

/* The offset in each trace where the tail starts; the trace's length: none. */
static const struct {
	const char *trace;
	size_t size;
	size_t at;
} cases[] = {
	{ "", 0, 0 },
	{ "abc", 3, 3 },
	{ PSB, 16, 0 },
	{ "abc" PSB "de", 21, 3 },
	{ PSB "abc" PSB "de", 37, 19 },
	/* The packet before may end as a PSB begins. */
	{ "a\x02\x82" PSB "b", 20, 3 },
	{ PSB "abc\x02\x82\x02\x82", 23, 0 },
};

START_TEST(the_tail_begins_at_the_last_psb)
{
	size_t size = cases[_i].size - cases[_i].at;
	struct trace_tail tail = { 0 };

	trace_tail_keep(&tail, (const uint8_t *)cases[_i].trace, cases[_i].size,
			1000);
	ck_assert_uint_eq(tail.bytes.size, size);
	ck_assert_uint_eq(tail.start, 1000 + cases[_i].at);
	ck_assert_int_eq(trace_tail_is_synchronised(&tail), size > 0);
	if (size)
		ck_assert_mem_eq(tail.bytes.bytes,
				 cases[_i].trace + cases[_i].at, size);
	trace_tail_free(&tail);
}
END_TEST

/* Farther from the end than usual, and then none. */
START_TEST(a_far_psb_is_found_and_forgotten)
{
	enum { SIZE = 100000 };
	static uint8_t trace[SIZE];
	struct trace_tail tail = { 0 };

	memcpy(trace + 5, PSB, 16);
	trace_tail_keep(&tail, trace, SIZE, 0);
	ck_assert_uint_eq(tail.bytes.size, SIZE - 5);
	trace_tail_forget(&tail);
	ck_assert(!trace_tail_is_synchronised(&tail));
	trace_tail_free(&tail);
}
END_TEST

SUITE("trace_tail")
{
	TEST_EACH(the_tail_begins_at_the_last_psb, cases);
	TEST(a_far_psb_is_found_and_forgotten);
}
