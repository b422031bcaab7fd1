/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/trigger/function_names_internal.h"
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
			       "ffffffff81000800 t show\n"
			       "ffffffff81000900 t show\n"
			       "ffffffff81000a00 t alias\n"
			       "ffffffff81000a00 T alias\n"
			       "ffffffff81000b00 t set.isra.0\n"
			       "ffffffff81000b80 t set.isra.0.cold\n"
			       "ffffffff81000c00 t set.constprop.0\n"
			       "ffffffff81000d00 t many\n"
			       "ffffffff81000d10 t many\n"
			       "ffffffff81000d20 t many\n"
			       "ffffffff81000d30 t many\n"
			       "ffffffff81000d40 t many\n"
			       "ffffffff81000e00 W weak\n"
			       "ffffffffc0000000 t ext4_sync_file\t[ext4]\n"
			       "ffffffffc0000100 t show\t[ext4]\n";

static const struct {
	const char *name;
	size_t count;
	const char *function;
} names[] = {
	{ "read", 1, SYSTEM_CALL_PREFIX "read" },
	{ "fsync", 1, SYSTEM_CALL_PREFIX "fsync" },
	{ SYSTEM_CALL_PREFIX "read", 1, SYSTEM_CALL_PREFIX "read" },
	{ "vfs_fsync", 1, "vfs_fsync" },
	{ "finish_task_switch", 1, "finish_task_switch.isra.0" },
	{ "ext4_sync_file", 1, "ext4_sync_file" },
	{ "weak", 1, "weak" },
	{ "vfs_data", 0, "" },
	{ "vfs_fsyn", 0, "" },
	{ "finish_task", 0, "" },
	{ "", 0, "" },
	/* An alias of the same function. */
	{ "alias", 1, "alias" },
	{ "show", 3, "show@0x800, show@0x900, show@0x100 [ext4]" },
	{ "show@0x800", 1, "0xffffffff81000800" },
	{ "show@0x100", 1, "0xffffffffc0000100" },
	{ "show@0x0", 0, "" },
	{ "vfs_fsync_range@0x100", 1, "0xffffffff81000100" },
	{ "fsync@0x700", 1, "0xffffffff81000700" },
	{ "set", 2, "set.isra.0@0xb00, set.constprop.0@0xc00" },
	{ "set.isra.0", 1, "set.isra.0" },
	{ "many", 5, "many@0xd00, many@0xd10, many@0xd20, many@0xd30, ..." },
};

START_TEST(a_system_call_comes_before_a_function)
{
	struct kernel_symbols symbols = symbols_of(kallsyms);
	char function[128] = "";

	ck_assert_uint_eq(function_name_find(&symbols, names[_i].name, function,
					     sizeof(function)),
			  names[_i].count);
	ck_assert_str_eq(function, names[_i].function);
	kernel_symbols_free(&symbols);
}
END_TEST

/* With hidden addresses only the name is returned; the kernel resolves it if it
 * is unique.
 */
START_TEST(addresses_may_be_hidden)
{
	struct kernel_symbols symbols = symbols_of(
		"0000000000000000 T show\n0000000000000000 T show\n");
	char function[64] = "";

	ck_assert_uint_eq(function_name_find(&symbols, "show", function,
					     sizeof(function)),
			  1);
	ck_assert_str_eq(function, "show");
	kernel_symbols_free(&symbols);
}
END_TEST

START_TEST(a_list_has_an_end)
{
	struct kernel_symbols symbols = symbols_of(kallsyms);
	char list[16];

	for (size_t size = 1; size <= sizeof(list); size++) {
		memset(list, 'x', sizeof(list));
		ck_assert_uint_eq(
			function_name_find(&symbols, "many", list, size), 5);
		ck_assert_uint_eq(strlen(list), size - 1);
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

SUITE("function_names")
{
	TEST_EACH(a_system_call_comes_before_a_function, names);
	TEST(addresses_may_be_hidden);
	TEST(a_list_has_an_end);
	TEST_EACH(the_nearest_names_are_suggested, wrong);
}
