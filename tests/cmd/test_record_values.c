/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_values.h"
#include "common/array.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <sys/types.h>

/* Returns whether @read accepts @text. */
static bool is_read(option_reader *read, void *member, const char *text)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	return !read(member, copy);
}

static const struct {
	const char *text;
	size_t bytes; /* 0: refused */
} sizes[] = {
	{ "64K", 64 << 10 }, { "8M", 8 << 20 }, { "1g", 1 << 30 },
	{ "65536", 65536 },  { "", 0 },		{ "M", 0 },
	{ "32K", 0 },	     { "2G", 0 },	{ "3M", 0 },
	{ "8MB", 0 },	     { "-8M", 0 },	{ "99999999999999999999", 0 },
};

START_TEST(test_size)
{
	size_t bytes = 0;

	ck_assert_int_eq(is_read(record_value_size, &bytes, sizes[_i].text),
			 sizes[_i].bytes != 0);
	if (sizes[_i].bytes)
		ck_assert_uint_eq(bytes, sizes[_i].bytes);
}
END_TEST

static const struct {
	const char *text;
	uint64_t bytes; /* 0: refused */
} maxima[] = {
	{ "1M", 1 << 20 },
	{ "3000000", 3000000 },
	{ "2G", UINT64_C(2) << 30 },
	{ "5000g", UINT64_C(5000) << 30 },
	{ "1023K", 0 },
	{ "0", 0 },
	{ "", 0 },
	{ "2T", 0 },
	{ "99999999999G", 0 },
};

START_TEST(test_max)
{
	uint64_t bytes = 0;

	ck_assert_int_eq(is_read(record_value_max, &bytes, maxima[_i].text),
			 maxima[_i].bytes != 0);
	if (maxima[_i].bytes)
		ck_assert_uint_eq(bytes, maxima[_i].bytes);
}
END_TEST

static const struct {
	const char *text;
	uint32_t bytes; /* 0: refused */
} stacks[] = {
	{ "8K", 8192 }, { "64", 64 }, { "61440", 61440 }, { "60k", 61440 },
	{ "64K", 0 },	{ "63", 0 },  { "100", 0 },	  { "", 0 },
	{ "-8", 0 },	{ "8KB", 0 }, { "9G", 0 },
};

START_TEST(test_stack)
{
	uint32_t bytes = 0;

	ck_assert_int_eq(is_read(record_value_stack, &bytes, stacks[_i].text),
			 stacks[_i].bytes != 0);
	ck_assert_uint_eq(bytes, stacks[_i].bytes);
}
END_TEST

static const struct {
	const char *text;
	uint32_t cycles; /* 0: refused */
} thresholds[] = {
	{ "1", 1 },	  { "16", 16 },
	{ "4095", 4095 }, { "4096", 0 },
	{ "0", 0 },	  { "", 0 },
	{ "-4", 0 },	  { "4K", 0 },
	{ " 4", 0 },	  { "99999999999999999999", 0 },
};

START_TEST(test_threshold)
{
	uint32_t cycles = 0;

	ck_assert_int_eq(is_read(record_value_threshold, &cycles,
				 thresholds[_i].text),
			 thresholds[_i].cycles != 0);
	ck_assert_uint_eq(cycles, thresholds[_i].cycles);
}
END_TEST

static const struct {
	const char *text;
	uint64_t ns; /* 0: refused */
} durations[] = {
	{ "1", 1000000000 }, { "0.25", 250000000 }, { "0", 0 },
	{ "-1", 0 },	     { "1s", 0 },	    { "", 0 },
	{ "nan", 0 },	     { "inf", 0 },	    { "1e10", 0 },
};

START_TEST(test_seconds)
{
	uint64_t ns = 0;

	ck_assert_int_eq(is_read(record_value_seconds, &ns, durations[_i].text),
			 durations[_i].ns != 0);
	if (durations[_i].ns)
		ck_assert_uint_eq(ns, durations[_i].ns);
}
END_TEST

START_TEST(test_pids)
{
	struct array pids = ARRAY_OF(pid_t);
	const pid_t *items;

	ck_assert(is_read(record_value_pids, &pids, "12,345"));
	ck_assert(is_read(record_value_pids, &pids, "6"));
	ck_assert_uint_eq(pids.count, 3);
	items = pids.items;
	ck_assert_int_eq(items[1], 345);
	ck_assert(!is_read(record_value_pids, &pids, ""));
	ck_assert(!is_read(record_value_pids, &pids, "0"));
	ck_assert(!is_read(record_value_pids, &pids, "1,"));
	ck_assert(!is_read(record_value_pids, &pids, "x"));
	ck_assert(!is_read(record_value_pids, &pids, "99999999"));
	array_free(&pids);
}
END_TEST

SUITE("record_values")
{
	TEST_EACH(test_stack, stacks);
	TEST_EACH(test_size, sizes);
	TEST_EACH(test_max, maxima);
	TEST_EACH(test_threshold, thresholds);
	TEST_EACH(test_seconds, durations);
	TEST(test_pids);
}
