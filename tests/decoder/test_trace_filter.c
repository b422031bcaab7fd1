/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "tests/run_suite.h"

#include <stdio.h>

static const struct {
	const char *text;
	uint32_t count;
	uint64_t inside;
	uint64_t outside;
} rows[] = {
	{ "filter 0x1000/0x10", 1, 0x1000, 0x1010 },
	{ "filter 0xffffffff81000000/4096", 1, 0xffffffff81000fff,
	  0xffffffff80ffffff },
	{ " filter 0x1000 / 0x10, filter 0x2000/0x10", 2, 0x200f, 0x1010 },
	{ "filter 0x1000/0x10 filter 0x2000/0x10", 2, 0x2000, 0x2010 },
	/* Without ranges all is inside. */
	{ "", 0, 0x1000, 0 },
	{ "filter 0x1000/0x10@/bin/ls", 0, 0x5000, 0 },
	{ "filter 0x1000/0x10,stop 0x2000", 0, 0x5000, 0 },
	{ "filter main", 0, 0x5000, 0 },
	{ "start 0x1000,stop 0x2000", 0, 0x5000, 0 },
};

START_TEST(ranges_are_read)
{
	struct trace_filter filter = trace_filter_read(rows[_i].text);

	ck_assert_uint_eq(filter.count, rows[_i].count);
	ck_assert(!trace_filter_excludes(&filter, rows[_i].inside));
	if (filter.count)
		ck_assert(trace_filter_excludes(&filter, rows[_i].outside));
}
END_TEST

START_TEST(too_many_ranges_are_none)
{
	char text[512];
	size_t at = 0;

	for (unsigned int i = 0; i <= TRACE_FILTER_RANGES; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "filter 0x%x/0x10,", i * 0x1000);
	ck_assert_uint_eq(trace_filter_read(text).count, 0);
}
END_TEST

SUITE("trace_filter")
{
	TEST_EACH(ranges_are_read, rows);
	TEST(too_many_ranges_are_none);
}
