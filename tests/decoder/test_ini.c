/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot/ini_internal.h"
#include "tests/run_suite.h"

#include <string.h>

static void check_line(struct ini_reader *reader, const char *section,
		       const char *key, const char *value)
{
	struct ini_line line;

	ck_assert_int_eq(ini_next(reader, &line), 1);
	ck_assert(ini_equals(line.section, section));
	ck_assert(ini_equals(line.key, key));
	ck_assert(ini_equals(line.value, value));
}

START_TEST(lines_are_read)
{
	static const char text[] = "early=1\r\n"
				   "# [comment]\n; a=b\n\n[]\nno section=x\n"
				   "[ regs ]\n  TRCIDR0(0x078) = 0x28000EA1 \n"
				   "no mark\n[]]\n=empty key\nempty value=\n"
				   "[dump1]\nfile=a=b.bin";
	struct ini_reader reader = ini_of(text, strlen(text));
	struct ini_line line;

	check_line(&reader, "", "early", "1");
	check_line(&reader, "", "no section", "x");
	check_line(&reader, "regs", "TRCIDR0(0x078)", "0x28000EA1");
	check_line(&reader, "]", "", "empty key");
	check_line(&reader, "]", "empty value", "");
	check_line(&reader, "dump1", "file", "a=b.bin");
	ck_assert_int_eq(ini_next(&reader, &line), 0);
	ck_assert_int_eq(ini_next(&reader, &line), 0);
}
END_TEST

START_TEST(words_are_whole)
{
	const struct ini_text text = { "core_trace", 10 };

	ck_assert(ini_begins(text, "core"));
	ck_assert(!ini_equals(text, "core"));
	ck_assert(!ini_begins(text, "core_trace_sources"));
	ck_assert(ini_equals(text, "core_trace"));
}
END_TEST

static const struct {
	const char *text;
	bool is_number;
	uint64_t number;
} numbers[] = {
	{ "0", true, 0 },
	{ "18446744073709551615", true, UINT64_MAX },
	{ "18446744073709551616", false, 0 },
	{ "0xFFFFFFC000081000", true, 0xffffffc000081000 },
	{ "0Xab", true, 0xab },
	{ "0x10000000000000000", false, 0 },
	{ "0x", false, 0 },
	{ "", false, 0 },
	{ "12ab", false, 0 },
	{ "-1", false, 0 },
};

START_TEST(numbers_are_read)
{
	const struct ini_text text = { numbers[_i].text,
				       strlen(numbers[_i].text) };
	uint64_t number;

	ck_assert_int_eq(ini_number(text, &number), numbers[_i].is_number);
	if (numbers[_i].is_number)
		ck_assert_uint_eq(number, numbers[_i].number);
}
END_TEST

SUITE("ini")
{
	TEST(lines_are_read);
	TEST(words_are_whole);
	TEST_EACH(numbers_are_read, numbers);
}
