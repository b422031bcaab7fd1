/* SPDX-License-Identifier: MIT */
#include "common/clocks.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

static const struct clock_readings both = {
	.begin = { true, 1417022888, 1795443000123456789, 210, 0x2001, 16000,
		   500000000 },
	.end = { true, 2417022888, 1795443001123456790, 190, 0x40, 0,
		 16000000000 },
	.activate_ns = 1795443000000000000,
};

static void expect_reading(const struct clock_reading *reading,
			   const struct clock_reading *wanted)
{
	ck_assert(reading->is_known == wanted->is_known);
	ck_assert_uint_eq(reading->clock_ns, wanted->clock_ns);
	ck_assert_int_eq(reading->realtime_ns, wanted->realtime_ns);
	ck_assert_uint_eq(reading->bracket_ns, wanted->bracket_ns);
	ck_assert_uint_eq(reading->status, wanted->status);
	ck_assert_uint_eq(reading->esterror_ns, wanted->esterror_ns);
	ck_assert_uint_eq(reading->maxerror_ns, wanted->maxerror_ns);
}

START_TEST(what_is_written_is_read)
{
	struct clock_readings readings;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	clock_readings_write(&both, out);
	fclose(out);
	clock_readings_parse(&readings, text, size);
	expect_reading(&readings.begin, &both.begin);
	expect_reading(&readings.end, &both.end);
	ck_assert_int_eq(readings.activate_ns, both.activate_ns);
	/* A killed recorder leaves no second line; an incomplete line is
	 * ignored.
	 */
	size = (size_t)(strstr(text, "end ") - text) + 30;
	clock_readings_parse(&readings, text, size);
	expect_reading(&readings.begin, &both.begin);
	ck_assert(!readings.end.is_known);
	free(text);
}
END_TEST

START_TEST(offsets_are_of_both_signs)
{
	struct clock_reading early = { true, 5000, 3000, 0, 0, 0, 0 };

	ck_assert_int_eq(clock_reading_offset(&early), -2000);
	ck_assert_int_eq(clock_reading_offset(&both.begin),
			 1795443000123456789 - 1417022888);
}
END_TEST

static const char *const others[] = {
	"",
	"\n\n",
	"begin",
	"begin clock_ns=x realtime_ns=1",
	"begin clock_ns=1 realtime_ns=2 bracket_ns=3 status=4",
	("beginning clock_ns=1 realtime_ns=2 bracket_ns=3 status=4 "
	 "esterror_ns=5 maxerror_ns=6\n"),
};

START_TEST(other_lines_are_ignored)
{
	struct clock_readings readings;

	clock_readings_parse(&readings, others[_i], strlen(others[_i]));
	ck_assert(!readings.begin.is_known);
	ck_assert(!readings.end.is_known);
	ck_assert_int_eq(readings.activate_ns, 0);
}
END_TEST

SUITE("clock_readings")
{
	TEST(what_is_written_is_read);
	TEST(offsets_are_of_both_signs);
	TEST_EACH(other_lines_are_ignored, others);
}
