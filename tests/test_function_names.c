/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/trigger/function_names.h"
#include "common/error.h"
#include "tests/run_suite.h"

#include <string.h>

static struct kernel_symbols symbols_of(const char *text)
{
	struct kernel_symbols symbols = { 0 };

	byte_buffer_text(&symbols.text, text);
	ck_assert(!symbols.text.failed);
	return symbols;
}

static const char kallsyms[] = "ffffffff81000000 T vfs_fsync\n"
			       "ffffffff81000100 T vfs_fsync_range\n"
			       "ffffffff81000200 t finish_task_switch.isra.0\n"
			       "ffffffff81000300 t reader\n"
			       "ffffffff81000400 D vfs_data\n"
			       "ffffffff81000500 T read\n"
			       "ffffffff81000600 T " SYSTEM_CALL_PREFIX "read\n"
			       "ffffffff81000700 T " SYSTEM_CALL_PREFIX
			       "fsync\n"
			       "ffffffffc0000000 t ext4_sync_file\t[ext4]\n";

static const struct {
	const char *name;
	const char *function; /* NULL: there is none */
} names[] = {
	{ "read", SYSTEM_CALL_PREFIX "read" },
	{ "fsync", SYSTEM_CALL_PREFIX "fsync" },
	{ SYSTEM_CALL_PREFIX "read", SYSTEM_CALL_PREFIX "read" },
	{ "vfs_fsync", "vfs_fsync" },
	{ "finish_task_switch", "finish_task_switch.isra.0" },
	{ "ext4_sync_file", "ext4_sync_file" },
	{ "vfs_data", NULL },
	{ "vfs_fsyn", NULL },
	{ "finish_task", NULL },
	{ "", NULL },
};

START_TEST(a_system_call_comes_before_a_function)
{
	struct kernel_symbols symbols = symbols_of(kallsyms);
	char function[64];
	int error = function_name_find(&symbols, names[_i].name, function,
				       sizeof(function));

	if (names[_i].function) {
		ck_assert_int_eq(error, 0);
		ck_assert_str_eq(function, names[_i].function);
	} else {
		ck_assert_int_eq(error, -ERROR_NOT_FOUND);
	}
	kernel_symbols_free(&symbols);
}
END_TEST

static const struct {
	const char *name;
	const char *list;
} wrong[] = {
	{ "raed", "read" },
	{ "vfs_fsyncrange", "vfs_fsync_range, vfs_fsync" },
	{ "fsnyc", "fsync" },
	{ "something_else_altogether", "" },
	{ "vfs_dat", "" },
};

START_TEST(the_nearest_names_are_suggested)
{
	struct kernel_symbols symbols = symbols_of(kallsyms);
	char list[256];

	function_name_suggest(&symbols, wrong[_i].name, list, sizeof(list));
	ck_assert_msg(!strncmp(list, wrong[_i].list, strlen(wrong[_i].list)) &&
			      (*wrong[_i].list || !*list),
		      "'%s': %s", wrong[_i].name, list);
	/* A name of any length, and a list that has no room. */
	function_name_suggest(&symbols, kallsyms, list, sizeof(list));
	ck_assert_str_eq(list, "");
	function_name_suggest(&symbols, wrong[_i].name, list, 5);
	ck_assert_int_lt(strlen(list), 5);
	kernel_symbols_free(&symbols);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("function_names");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, a_system_call_comes_before_a_function, 0,
			    sizeof(names) / sizeof(*names));
	tcase_add_loop_test(tcase, the_nearest_names_are_suggested, 0,
			    sizeof(wrong) / sizeof(*wrong));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
