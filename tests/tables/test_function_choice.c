/* SPDX-License-Identifier: MIT */
#include "tables/relations/function_choice_internal.h"

#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <string.h>

static struct function_table *table;

static void make_table(void)
{
	table = function_table_new();
	function_table_add(table, "vfs_read", 8, "", 'k');
	function_table_add(table, "vfs_readv", 9, "", 'k');
	function_table_add(table, "read", 4, "/lib/libc.so.6", 'u');
	function_table_add(table, "read", 4, "/bin/program", 'u');
	function_table_add(table, "read", 4, "", 'k');
	function_table_add(table, "schedule", 8, "", 'k');
}

static void free_table(void)
{
	function_table_free(table);
}

static const struct {
	const char *name;
	uint32_t count;
	const char *message; /* its end */
} names[] = {
	{ "vfs_read", 1, "" },
	{ "read", 3, "" },
	{ "k:read", 1, "" },
	{ "u:read", 2, "" },
	{ "137u:read", 2, "" },
	{ "u:vfs_read", 0, "did you mean vfs_read, vfs_readv, read" },
	{ "vfs_reed", 0, "did you mean vfs_read, vfs_readv" },
	{ "shedule", 0, "did you mean schedule" },
	{ "completely_else", 0, "in this recording" },
	{ "", 0, "in this recording" },
	{ "[unknown]", 0, "in this recording" },
};

START_TEST(names_choose_functions)
{
	const char *name = names[_i].name;
	struct function_choice *choice =
		function_choice_new(table, name, strlen(name));
	uint32_t count = 0;

	for (uint32_t i = 0; i < function_count(table); i++)
		count += function_choice_has(choice, i);
	ck_assert_uint_eq(count, names[_i].count);
	ck_assert(!function_choice_has(choice, FUNCTION_NONE));
	function_choice_free(choice);
}
END_TEST

START_TEST(others_are_suggested)
{
	const char *name = names[_i].name;
	const char *end = names[_i].message;
	char message[256] = "";

	ck_assert_int_eq(function_choice_check(table, name, strlen(name),
					       message, sizeof(message)),
			 names[_i].count > 0);
	ck_assert_msg(strlen(message) >= strlen(end) &&
			      !strcmp(message + strlen(message) - strlen(end),
				      end),
		      "%s: '%s'", name, message);
}
END_TEST

SUITE("function_choice")
{
	FIXTURE(make_table, free_table);
	TEST_EACH(names_choose_functions, names);
	TEST_EACH(others_are_suggested, names);
}
