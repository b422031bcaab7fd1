/* SPDX-License-Identifier: MIT */
#include "collector/gate/gate.h"
#include "tests/run_suite.h"

#include <string.h>

static struct gate_lines lines;
static size_t at;
static bool is_cut;

static void set_up(void)
{
	memset(&lines, 0, sizeof(lines));
	at = 0;
}

static const char *next(const char *bytes)
{
	return gate_lines_next(&lines, bytes, strlen(bytes), &at, &is_cut);
}

START_TEST(each_line_comes_once)
{
	static const char bytes[] = "openat,read\nnone\n\nfsync";

	ck_assert_str_eq(next(bytes), "openat,read");
	ck_assert_str_eq(next(bytes), "none");
	ck_assert_str_eq(next(bytes), "");
	ck_assert_ptr_null(next(bytes));
	ck_assert(!is_cut);
}
END_TEST

START_TEST(a_line_may_come_in_pieces)
{
	ck_assert_ptr_null(next("open"));
	at = 0;
	ck_assert_ptr_null(next("at,re"));
	at = 0;
	ck_assert_str_eq(next("ad\nnone"), "openat,read");
}
END_TEST

START_TEST(spaces_at_the_end_do_not_count)
{
	static const char bytes[] = "openat \t\r\n \nopen at\n";

	ck_assert_str_eq(next(bytes), "openat");
	ck_assert_str_eq(next(bytes), "");
	ck_assert_str_eq(next(bytes), "open at");
}
END_TEST

/* A list that fits exactly with its NUL, or is cut; the next list is complete.
 */
START_TEST(a_long_line_is_cut)
{
	char bytes[GATE_LIST_SIZE + 16];

	memset(bytes, 'a', sizeof(bytes));
	strcpy(bytes + GATE_LIST_SIZE - 1, "\nnone\n");
	ck_assert_uint_eq(strlen(next(bytes)), GATE_LIST_SIZE - 1);
	ck_assert(!is_cut);
	memset(bytes, 'a', sizeof(bytes));
	strcpy(bytes + GATE_LIST_SIZE, "\nnone\n");
	at = 0;
	memset(&lines, 0, sizeof(lines));
	ck_assert_uint_eq(strlen(next(bytes)), GATE_LIST_SIZE - 1);
	ck_assert(is_cut);
	ck_assert_str_eq(next(bytes), "none");
	ck_assert(!is_cut);
}
END_TEST

SUITE("gate_lines")
{
	FIXTURE(set_up, NULL);
	TEST(each_line_comes_once);
	TEST(a_line_may_come_in_pieces);
	TEST(spaces_at_the_end_do_not_count);
	TEST(a_long_line_is_cut);
}
