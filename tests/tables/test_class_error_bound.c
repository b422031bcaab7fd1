/* SPDX-License-Identifier: MIT */
#include "attribution/time/time_span.h"
#include "tables/processes/time_account.h"
#include "tests/run_suite.h"

#include <stddef.h>
#include <stdint.h>

/* Its length, the error of its start, its class; and the error of its end,
 * where the thread ends.
 */
struct stretch {
	uint64_t size_ns;
	uint32_t error_ns;
	enum time_class time_class;
	uint32_t end_error_ns;
};

/* Length of other threads' time after the thread's end. */
enum { BEHIND_NS = 1000 };

static const struct {
	struct stretch stretches[4];
	uint64_t error_ns;
} cases[] = {
	{ { { 0 } }, 0 },
	/* The thread's start is not a border between classes. */
	{ { { 100, 50, TIME_USER, 0 } }, 0 },
	{ { { 100, 50, TIME_USER, 0 }, { 100, 7, TIME_FAULT, 0 } }, 7 },
	{ { { 100, 0, TIME_USER, 0 },
	    { 100, 7, TIME_FAULT, 0 },
	    { 100, 8, TIME_USER, 0 } },
	  15 },
	/* The class continues. */
	{ { { 100, 0, TIME_USER, 0 }, { 100, 7, TIME_USER, 0 } }, 0 },
	/* No further than the time on either side. */
	{ { { 10, 0, TIME_USER, 0 }, { 5, UINT32_MAX, TIME_UNKNOWN, 0 } }, 10 },
	{ { { 10, 0, TIME_USER, 0 },
	    { 5, UINT32_MAX, TIME_UNKNOWN, 0 },
	    { 15, 3, TIME_UNKNOWN, 0 } },
	  20 },
	{ { { 10, 0, TIME_USER, 0 },
	    { 5, UINT32_MAX, TIME_UNKNOWN, 0 },
	    { 15, UINT32_MAX, TIME_FAULT, 0 } },
	  25 },
	/* The time after a thread's end, until the end of the recording, is
	 * that of others.
	 */
	{ { { 100, 0, TIME_USER, 0 }, { 10, 7, TIME_SYSTEM_CALL, 500 } }, 507 },
	{ { { 100, 0, TIME_USER, 0 }, { 10, 7, TIME_SYSTEM_CALL, UINT32_MAX } },
	  7 + BEHIND_NS },
	/* Or it was earlier. */
	{ { { 5000, 0, TIME_USER, UINT32_MAX } }, 5000 },
	/* The thread only seemed to end there: no border is counted twice.
	 */
	{ { { 100, 0, TIME_USER, 9 }, { 100, 9, TIME_RUNNABLE, 0 } }, 9 },
	/* Another thread has the ended one's number. */
	{ { { 100, 0, TIME_USER, 50 }, { 10, 0, TIME_RUNNABLE, 0 } }, 50 },
	{ { { 100, 0, TIME_USER, 50 },
	    { 10, 0, TIME_USER, 0 },
	    { 10, 4, TIME_RUNNABLE, 0 } },
	  54 },
};

START_TEST(borders_add_up)
{
	struct class_error_bound bound = { 0 };
	uint64_t now_ns = 1000;

	for (size_t i = 0; i < 4; i++) {
		const struct stretch *stretch = &cases[_i].stretches[i];
		const struct time_span span = {
			.begin_ns = now_ns,
			.end_ns = now_ns + stretch->size_ns,
			.begin_error_ns = stretch->error_ns,
			.end_error_ns = stretch->end_error_ns,
			.time_class = (uint8_t)stretch->time_class,
		};

		if (stretch->size_ns)
			class_error_bound_consume(&bound, &span);
		now_ns = span.end_ns;
	}
	ck_assert_uint_eq(class_error_bound_ns(&bound, now_ns + BEHIND_NS),
			  cases[_i].error_ns);
}
END_TEST

SUITE("class_error_bound")
{
	TEST_EACH(borders_add_up, cases);
}
