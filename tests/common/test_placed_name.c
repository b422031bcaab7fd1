/* SPDX-License-Identifier: MIT */
#include "common/name_choice.h"
#include "tests/run_suite.h"

#include <string.h>

static const struct {
	const char *text;
	bool is_read;
	size_t length;
	bool has_offset;
	uint64_t offset;
} rows[] = {
	{ "show", true, 4, false, 0 },
	{ "show@0x12340", true, 4, true, 0x12340 },
	{ "foo.isra.0@0x0", true, 10, true, 0 },
	{ "a@0xffffffffffffffff", true, 1, true, UINT64_MAX },
	{ "a@0xABcd", true, 1, true, 0xabcd },
	{ "at@4", true, 4, false, 0 },
	{ "", true, 0, false, 0 },
	{ "show@0x", false, 0, false, 0 },
	{ "show@0x12g", false, 0, false, 0 },
	{ "show@0x-1", false, 0, false, 0 },
	{ "show@0x00000000000000001", false, 0, false, 0 },
};

START_TEST(names_have_offsets)
{
	struct placed_name name;

	ck_assert_int_eq(placed_name_read(rows[_i].text, strlen(rows[_i].text),
					  &name),
			 rows[_i].is_read);
	if (!rows[_i].is_read)
		return;
	ck_assert_ptr_eq(name.text, rows[_i].text);
	ck_assert_uint_eq(name.length, rows[_i].length);
	ck_assert_int_eq(name.has_offset, rows[_i].has_offset);
	ck_assert_uint_eq(name.offset, rows[_i].offset);
}
END_TEST

/* The next bytes are another name. */
START_TEST(no_more_is_read_than_is_given)
{
	struct placed_name name;

	ck_assert(placed_name_read("show@0x12,3", 9, &name));
	ck_assert_uint_eq(name.offset, 0x12);
	ck_assert(placed_name_read("show,at@0x12", 4, &name));
	ck_assert(!name.has_offset);
}
END_TEST

SUITE("placed_name")
{
	TEST_EACH(names_have_offsets, rows);
	TEST(no_more_is_read_than_is_given);
}
