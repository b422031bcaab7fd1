/* SPDX-License-Identifier: MIT */
#include "execution/walk/event_times_internal.h"
#include "tests/run_suite.h"

#include <check.h>

/* Below and above a nanosecond a tick, with and without a fraction. */
static const struct time_conversion conversions[] = {
	{ .shift = 31, .mult = 2147485795, .zero = 16430543, .known = true },
	{ .shift = 31, .mult = 715827882, .known = true },
	{ .shift = 32, .mult = 1431655766, .zero = UINT64_MAX, .known = true },
	{ .shift = 1, .mult = 3, .known = true },
	{ .shift = 63, .mult = 1, .zero = 5, .known = true },
	{ .shift = 0, .mult = 7, .zero = 5, .known = true },
	{ .known = false },
	{ .shift = 64, .known = false }, /* as in a damaged recording */
};

START_TEST(a_scale_is_the_conversion)
{
	const struct time_conversion *conversion = &conversions[_i];
	const struct tick_scale scale = tick_scale_of(conversion);

	for (uint64_t ticks = 1; ticks < (uint64_t)1 << 61; ticks *= 3)
		for (uint64_t more = 0; more < 3; more++)
			ck_assert_uint_eq(tick_scale_ns(&scale, ticks + more),
					  time_conversion_ns(conversion,
							     ticks + more));
	ck_assert_uint_eq(tick_scale_ns(&scale, 0),
			  time_conversion_ns(conversion, 0));
}
END_TEST

SUITE("tick_scale")
{
	TEST_EACH(a_scale_is_the_conversion, conversions);
}
