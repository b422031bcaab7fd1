/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_name.h"
#include "tests/run_suite.h"

#include <string.h>

static const struct {
	const char *symbol;
	const char *name;
	const char *base;
	size_t padding;
	bool is_cold;
} names[] = {
	{ "vfs_read", "vfs_read", "vfs_read", 0, false },
	{ "vfs_read.cold", "vfs_read", "vfs_read", 0, true },
	{ "old.cold.12", "old", "old", 0, true },
	{ "fsnotify_perm.part.0", "fsnotify_perm.part.0", "fsnotify_perm", 0,
	  false },
	{ "foo.isra.0", "foo.isra.0", "foo", 0, false },
	{ "foo.isra", "foo.isra", "foo", 0, false },
	{ "count.constprop.0.isra.0", "count.constprop.0.isra.0", "count", 0,
	  false },
	{ "foo.part.0.cold", "foo.part.0", "foo", 0, true },
	{ "foo.part.0.cold.3", "foo.part.0", "foo", 0, true },
	{ "foo.llvm.123456", "foo", "foo", 0, false },
	{ "foo.llvm.123456.cold", "foo", "foo", 0, true },
	{ "foo.lto_priv.0", "foo", "foo", 0, false },
	{ "foo.constprop.0.llvm.7", "foo.constprop.0", "foo", 0, false },
	{ "foo.123", "foo", "foo", 0, false },
	{ "foo.bar", "foo.bar", "foo.bar", 0, false },
	{ "foo.0x1", "foo.0x1", "foo.0x1", 0, false },
	{ ".cold", ".cold", ".cold", 0, false },
	{ "foo.", "foo.", "foo.", 0, false },
	{ "partition", "partition", "partition", 0, false },
	{ "__pfx_vfs_read", "__pfx_vfs_read", "__pfx_vfs_read", 6, false },
	{ "__pfx_", "__pfx_", "__pfx_", 0, false },
	{ "__cfi_vfs_read", "__cfi_vfs_read", "__cfi_vfs_read", 6, false },
};

START_TEST(suffixes_show_the_kind_of_a_symbol)
{
	const char *symbol = names[_i].symbol;
	size_t length = strlen(symbol);
	struct name_lengths lengths = function_name_lengths(symbol, length);

	ck_assert_uint_eq(lengths.name, strlen(names[_i].name));
	ck_assert_uint_eq(lengths.base, strlen(names[_i].base));
	ck_assert_uint_eq(function_name_padding(symbol, length),
			  names[_i].padding);
	ck_assert_int_eq(function_name_is_cold(symbol, length),
			 names[_i].is_cold);
}
END_TEST

SUITE("function_name")
{
	TEST_EACH(suffixes_show_the_kind_of_a_symbol, names);
}
