/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_name.h"
#include "tests/run_suite.h"

#include <string.h>

static const struct {
	const char *symbol;
	const char *function;
	size_t padding;
} names[] = {
	{ "vfs_read", "vfs_read", 0 },
	{ "vfs_read.cold", "vfs_read", 0 },
	{ "fsnotify_perm.part.0", "fsnotify_perm", 0 },
	{ "mas_wr_store_entry.isra.0", "mas_wr_store_entry", 0 },
	{ "count.constprop.0.isra.0", "count", 0 },
	{ "link_path_walk.part.0.constprop.0", "link_path_walk", 0 },
	{ "foo.llvm.123456", "foo", 0 },
	{ "foo.part.0.cold", "foo", 0 },
	{ "foo.bar", "foo.bar", 0 },
	{ "foo.0x1", "foo.0x1", 0 },
	{ ".cold", ".cold", 0 },
	{ "foo.", "foo.", 0 },
	{ "partition", "partition", 0 },
	{ "__pfx_vfs_read", "__pfx_vfs_read", 6 },
	{ "__pfx_", "__pfx_", 0 },
	{ "__cfi_vfs_read", "__cfi_vfs_read", 6 },
};

START_TEST(pieces_bear_their_functions_name)
{
	const char *symbol = names[_i].symbol;

	ck_assert_uint_eq(function_name_length(symbol, strlen(symbol)),
			  strlen(names[_i].function));
	ck_assert_uint_eq(function_name_padding(symbol, strlen(symbol)),
			  names[_i].padding);
}
END_TEST

static Suite *function_name_suite(void)
{
	Suite *suite = suite_create("function_name");
	TCase *tcase = tcase_create("names");

	tcase_add_loop_test(tcase, pieces_bear_their_functions_name, 0,
			    sizeof(names) / sizeof(*names));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(function_name_suite());
}
